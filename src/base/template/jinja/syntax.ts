// From the source of a template to its tree. The grammar is the library's; what of Jinja we do not have is refused here, by
// name, and the library would render some of it otherwise than Jinja does.

import { parse, tokenize } from "@huggingface/jinja";
import { fail, TemplateError } from "../python/values.ts";
import { FILTERS } from "./filters.ts";
import { refuseMethod } from "./members.ts";
import { checkCondition, faultBehind, keptBlanksIn } from "./lacking.ts";
import type { Expression, Statement } from "./nodes.ts";
import { TESTS } from "./tests.ts";

export interface Syntax {
  readonly body: readonly Statement[];
  /** Where the tag or the text of a statement begins, from 1. */
  readonly lines: ReadonlyMap<Statement, number>;
}

interface Token {
  readonly type: string;
  readonly value: string;
}

const MAX_SOURCE = 1024 ** 2;
const OPENING = ["if", "for", "macro", "filter", "set"];
const INNER = ["elif", "else"];
const CLOSING = OPENING.map((tag) => `end${tag}`);
/** Words that stand behind an operand, and those that stand before one. */
const OPERATORS = ["and", "or", "not", "in", "is", "if", "else"];
const KEYWORDS = [...OPERATORS, ...OPENING, ...INNER, ...CLOSING];
const LITERALS = ["NumericLiteral", "StringLiteral"];
const BRACKET = /Paren$|Bracket$/;
const COMPARISONS = ["==", "!=", "<", ">", "<=", ">=", "in", "not in"];
/** Of Jinja, and not ours. */
const LACKING_FUNCTIONS = ["dict", "lipsum", "cycler", "joiner"];
const MACRO_NAMES = ["varargs", "kwargs", "caller"];
/** What Python and JavaScript do not both take for blank, beside a tag that strips blanks. */
const STRIPPED_OTHERWISE = /[\x1c-\x1f\x85\ufeff]\s*\{[{%#]-|-[}%#]\}\s*[\x1c-\x1f\x85\ufeff]/;

/** Throws a TemplateError that begins with the line, where it is known. */
export function parseTemplate(source: string): Syntax {
  if (source.length > MAX_SOURCE) fail(`it is longer than ${MAX_SOURCE.toLocaleString("en")} characters`);
  const text = source.replace(/\r\n?/g, "\n");
  try {
    return readSyntax(text);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const found = keptBlanksIn(text);
    if (!found) throw error;
    return onLine(lineAt(text, found.offset), () => fail(found.fault));
  }
}

function readSyntax(text: string): Syntax {
  const tokens = readTokens(text);
  const lines = tokenLines(text, tokens);
  for (let index = 0; index < tokens.length; index++) onLine(lines[index], () => checkToken(tokens, index));
  const body = buildTree(tokens, lines);
  return { body, lines: checkTree(body, tokens, lines) };
}

/** Does it, and says the line of what is wrong. */
export function onLine<T>(line: number | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TemplateError) || line === undefined || /^line \d/.test(error.message))
      throw error;
    throw new TemplateError(`line ${line}: ${error.message}`);
  }
}

function readTokens(text: string): readonly Token[] {
  const odd = STRIPPED_OTHERWISE.exec(text);
  if (odd) onLine(lineAt(text, odd.index), () => fail("an unusual blank beside a tag that strips blanks"));
  // The library leaves out this tag of its own before it looks at anything.
  for (const tag of ["raw", "generation"]) {
    const place = text.search(new RegExp(`\\{%[-+]?\\s*(end)?${tag}\\b`));
    if (place !== -1) onLine(lineAt(text, place), () => refuseTag(tag));
  }
  try {
    return tokenize(text, {});
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    return onLine(lineOfFault(text, reason), () => fail(`syntax error: ${sentence(reason)}`));
  }
}

/** The library does not tell. A character is unexpected from the first line on that has it; an end, in the last tag. */
function lineOfFault(text: string, reason: string): number {
  const lines = text.split("\n");
  for (
    let count = 1;
    count <= Math.min(lines.length, 1_000) && /^Unexpected char|escape/.test(reason);
    count++
  ) {
    try {
      tokenize(`${lines.slice(0, count).join("\n")}\n`, {});
    } catch (error) {
      if (error instanceof Error && error.message === reason) return count;
    }
  }
  return lineAt(text, Math.max(text.lastIndexOf("{{"), text.lastIndexOf("{%"), text.lastIndexOf("{#"), 0));
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** Of each token. Between two of them are only blanks and the marks that strip them. */
function tokenLines(text: string, tokens: readonly Token[]): readonly number[] {
  const literal = /(["'])(?:\\[^]|(?!\1)[^])*\1/g;
  let [at, line, counted] = [0, 1, 0];
  return tokens.map(({ type, value }) => {
    let start = text.indexOf(type === "Comment" ? "{#" : value, at);
    let end = type === "Comment" ? text.indexOf("#}", start + 2) + 2 : start + value.length;
    if (type === "StringLiteral") {
      literal.lastIndex = at;
      start = literal.exec(text)?.index ?? at;
      end = literal.lastIndex;
    }
    line += text.slice(counted, start).split("\n").length - 1;
    [at, counted] = [end, start];
    return line;
  });
}

function checkToken(tokens: readonly Token[], index: number): void {
  const [{ type, value }, next] = [tokens[index]!, tokens[index + 1]];
  if (
    type === "NumericLiteral" &&
    (/^[+-]?0\d/.test(value) || !(Math.abs(Number(value)) <= Number.MAX_SAFE_INTEGER))
  )
    fail(`the number \`${value.slice(0, 40)}\` is not supported`);
  if (type === "OpenStatement" && next?.type === "Identifier") {
    const tag = next.value;
    if (![...OPENING, ...INNER, ...CLOSING].includes(tag)) refuseTag(tag);
    checkCondition(tokens, index + 1);
  }
  // The parser takes a comma for granted, also in the middle of `1e3`.
  if (
    next &&
    endsOperand(tokens, index) &&
    beginsOperand(next) &&
    !(type === next.type && type === "StringLiteral")
  )
    fail(faultBehind(value, next.value));
  if (type !== "Identifier" || value !== "is" || tokens[index - 1]?.type === "Dot") return;
  const test = next?.value === "not" ? tokens[index + 2] : next;
  if (test?.type === "Identifier" && !TESTS.has(test.value))
    fail(`the test \`${test.value}\` is not supported`);
}

function endsOperand(tokens: readonly Token[], index: number): boolean {
  const { type, value } = tokens[index]!;
  if (type === "Identifier") return tokens[index - 1]?.type === "Dot" || !KEYWORDS.includes(value);
  return LITERALS.includes(type) || (type.startsWith("Close") && BRACKET.test(type));
}

function beginsOperand({ type, value }: Token): boolean {
  if (type === "Identifier") return !OPERATORS.includes(value);
  return LITERALS.includes(type) || type === "OpenCurlyBracket";
}

function refuseTag(tag: string): never {
  return fail(`the tag \`${tag}\` is not supported`);
}

function buildTree(tokens: readonly Token[], lines: readonly number[]): readonly Statement[] {
  try {
    const program: { readonly body: readonly Statement[] } = parse([...tokens]);
    return program.body;
  } catch (error) {
    if (error instanceof RangeError) throw error;
    const place = lastRead(tokens);
    const token = tokens[place];
    return onLine(lines[Math.min(place, tokens.length - 1)], () =>
      fail(
        token
          ? `syntax error at \`${token.value.slice(0, 40)}\``
          : "syntax error: a block is open at the end",
      ),
    );
  }
}

/** The library does not tell where it found something wrong, but that is what it looked at last. */
function lastRead(tokens: readonly Token[]): number {
  let last = 0;
  const watched = new Proxy([...tokens], {
    get(target, key) {
      if (typeof key === "string" && /^\d+$/.test(key)) last = Math.max(last, Number(key));
      return Reflect.get(target, key) as unknown;
    },
  });
  try {
    parse(watched);
  } catch {
    // As it did before.
  }
  return last;
}

/** Refuses what is not supported anywhere in the tree; gives the line of each statement. */
function checkTree(
  body: readonly Statement[],
  tokens: readonly Token[],
  lines: readonly number[],
): Map<Statement, number> {
  // The parser keeps the order in which statements begin.
  const begins = tokens.flatMap(({ type }, index) => {
    const isTag = type === "OpenStatement" && ["else", ...CLOSING].includes(tokens[index + 1]?.value ?? "");
    return ["Text", "Comment", "OpenExpression", "OpenStatement"].includes(type) && !isTag
      ? [lines[index]!]
      : [];
  });
  const found = new Map<Statement, number>();
  const visitAll = (statements: readonly Statement[], inMacro: string): void => {
    for (const statement of statements) {
      const line = begins[found.size]!;
      found.set(statement, line);
      onLine(line, () => visit(statement, inMacro));
    }
  };
  const visit = (node: unknown, inMacro: string): void => {
    if (Array.isArray(node)) for (const item of node) visit(item, inMacro);
    else if (node instanceof Map) visit([...node].flat(), inMacro);
    else if (isNode(node)) {
      checkNode(node, tokens, inMacro);
      for (const [key, part] of Object.entries(node)) {
        if (["body", "alternate", "defaultBlock"].includes(key)) {
          visitAll(part as readonly Statement[], node.type === "Macro" ? "macro" : inMacro);
        } else visit(part, inMacro);
      }
    }
  };
  visitAll(body, "");
  return found;
}

function isNode(node: unknown): node is Statement {
  return typeof node === "object" && node !== null && "type" in node;
}

function checkNode(
  node: Statement | { readonly type: "SpreadExpression" | "KeywordSpreadExpression" },
  tokens: readonly Token[],
  inMacro: string,
): void {
  switch (node.type) {
    case "FilterExpression":
    case "FilterStatement": {
      const name = node.filter.type === "Identifier" ? node.filter : node.filter.callee;
      if (name.type !== "Identifier") fail("syntax error in the name of a filter");
      else if (!FILTERS.has(name.value)) fail(`the filter \`${name.value}\` is not supported`);
      return;
    }
    case "MemberExpression":
      if (!node.computed && node.property.type === "Identifier" && node.property.value.startsWith("__"))
        fail(`\`${node.property.value}\` is out of reach of templates`);
      return;
    case "CallExpression":
      if (node.callee.type === "Identifier" && LACKING_FUNCTIONS.includes(node.callee.value))
        fail(`the function \`${node.callee.value}\` is not supported`);
      if (node.callee.type === "MemberExpression" && node.callee.property.type === "Identifier")
        refuseMethod(node.callee.property.value);
      return;
    case "Identifier":
      if (inMacro !== "" && MACRO_NAMES.includes(node.value))
        fail(`\`${node.value}\` in a macro is not supported`);
      return;
    case "SpreadExpression":
    case "KeywordSpreadExpression":
      return fail("`*` and `**` before an argument are not supported");
    case "BinaryExpression":
      return checkOperators(node, tokens);
    default:
  }
}

/** Jinja binds these otherwise than the library: `a < b < c` is `a < b and b < c`, `a + b ~ c` is `a + (b ~ c)`. */
function checkOperators(node: Expression & { type: "BinaryExpression" }, tokens: readonly Token[]): void {
  const { left, operator } = node;
  if (left.type !== "BinaryExpression") return;
  const isChain = [left.operator.value, operator.value].every((sign) => COMPARISONS.includes(sign));
  const isMixed = operator.value === "~" && ["+", "-"].includes(left.operator.value);
  if (!isChain && !isMixed) return;
  let depth = 0;
  const [from, to] = [left.operator, operator].map((sign) => tokens.findIndex((token) => token === sign));
  for (const { type } of tokens.slice(from, to === -1 ? undefined : to)) {
    if (type.startsWith("Open")) depth++;
    if (type.startsWith("Close") && --depth < 0) return;
  }
  fail(`\`${left.operator.value}\` and \`${operator.value}\` need parentheses here`);
}

/** What the library says of a character or an end, as part of a line of ours. */
function sentence(reason: string): string {
  return reason.replace(/^U/, "u").replace(/^I/, "i").replace(/^M/, "m").slice(0, 200);
}
