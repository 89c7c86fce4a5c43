const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
  ["hellip", "…"],
  ["ndash", "–"],
  ["mdash", "—"],
  ["middot", "·"],
  ["lsquo", "‘"],
  ["rsquo", "’"],
  ["ldquo", "“"],
  ["rdquo", "”"],
]);
const MAX_RAW = 10_000;

/**
 * What a reader sees of a scrap of HTML, on one line and of at most `maxLength` characters; "" for what is no text. Without
 * tags, control characters and characters that do not show.
 */
export function plainText(value: unknown, maxLength: number): string {
  if (typeof value !== "string") return "";
  const text = value
    .slice(0, MAX_RAW)
    .replace(/<\/?(?:br|p|li|div|td|tr|h\d)\b[^<>]*>/gi, " ")
    .replace(/<[a-z/!][^<>]*>/gi, "")
    .replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/gi, decode)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .replace(/[\p{Cf}\p{Cs}]/gu, "")
    .trim();
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).replace(/\p{Cs}$/u, "")}…`;
}

function decode(entity: string, name: string): string {
  if (!name.startsWith("#")) return ENTITIES.get(name.toLowerCase()) ?? entity;
  const code = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}
