// JSON laid out for reading, without being read: numbers of any length, repeated keys and their order stay as they are.

/** A list or object is kept on one line up to this length. */
const LINE_LENGTH = 80;
const MAX_INDENT = 40;

/** `text` laid out if it is JSON, or lines of JSON, that was written for machines; else as it is. */
export function layOutJson(text: string): string {
  const lines = text.trim().split(/\r?\n/);
  if (lines.every((line) => line.length <= LINE_LENGTH) || !lines.every(isJson)) return text;
  return lines.map(layOut).join("\n");
}

function isJson(line: string): boolean {
  if (line.trim() === "") return true;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

function layOut(json: string): string {
  const tokens = json.match(TOKEN) ?? [];
  const ends = endsOfShort(tokens);
  let text = "";
  let depth = 0;
  const newLine = (): void => {
    text += `\n${"  ".repeat(Math.min(depth, MAX_INDENT))}`;
  };
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]!;
    const end = ends.get(index);
    if (end !== undefined) {
      text += inOneLine(tokens.slice(index, end + 1));
      index = end;
    } else if (token === "{" || token === "[") {
      depth++;
      text += token;
      newLine();
    } else if (token === "}" || token === "]") {
      depth--;
      newLine();
      text += token;
    } else {
      text += token === ":" ? ": " : token;
      if (token === ",") newLine();
    }
  }
  return text;
}

/** For every list and object that fits a line, by where it begins: where it ends. */
function endsOfShort(tokens: readonly string[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open: { index: number; from: number }[] = [];
  let length = 0;
  tokens.forEach((token, index) => {
    if (token === "{" || token === "[") open.push({ index, from: length });
    length += token.length + (token === "," || token === ":" ? 1 : 0);
    if (token !== "}" && token !== "]") return;
    const begun = open.pop();
    if (begun && length - begun.from <= LINE_LENGTH) ends.set(begun.index, index);
  });
  return ends;
}

function inOneLine(tokens: readonly string[]): string {
  return tokens
    .map((token, index) => {
      if (token === "," || token === ":") return `${token} `;
      if (token === "{" && tokens[index + 1] !== "}") return "{ ";
      return token === "}" && tokens[index - 1] !== "{" ? " }" : token;
    })
    .join("");
}
