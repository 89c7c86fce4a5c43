// Renders the tree of a template: statements to text, expressions to values of Python.

import { bind } from "../python/arguments.ts";
import { iterate, operate, slice } from "../python/operators.ts";
import { str } from "../python/text.ts";
import {
  checkLength,
  defined,
  fail,
  float,
  int,
  isFloat,
  isTrue,
  numberOf,
  sequence,
  spend,
  typeOf,
  undefinedValue,
  type CallArguments,
  type Namespace,
  type PythonValue,
} from "../python/values.ts";
import { applyFilter } from "./filters.ts";
import { CONSTANTS, GLOBALS } from "./globals.ts";
import { attribute, subscript } from "./members.ts";
import type {
  CallExpression,
  Expression,
  FilterName,
  ForLoop,
  Macro,
  MemberExpression,
  SetStatement,
  Statement,
} from "./nodes.ts";
import { onLine, type Syntax } from "./syntax.ts";
import { TESTS } from "./tests.ts";

interface Scope {
  readonly names: Map<string, PythonValue>;
  readonly outer?: Scope;
  /** Of the template. */
  readonly position: Position;
}

interface Position {
  readonly lines: Syntax["lines"];
  /** Of what is being rendered. */
  line: number | undefined;
}

/** Throws a TemplateError that begins with the line. */
export function renderTemplate({ body, lines }: Syntax, variables: ReadonlyMap<string, PythonValue>): string {
  const position: Position = { lines, line: undefined };
  const names = new Map([...GLOBALS, ...variables]);
  try {
    return renderBlock(body, { names: new Map(), outer: { names, position }, position });
  } catch (error) {
    return onLine(position.line, () => {
      throw error;
    });
  }
}

function renderBlock(statements: readonly Statement[], scope: Scope): string {
  const { position } = scope;
  const { line } = position;
  let text = "";
  for (const statement of statements) {
    position.line = position.lines.get(statement);
    text += render(statement, scope);
    checkLength(text.length);
  }
  position.line = line;
  return text;
}

const SCOPE_BYTES = 1_024;

function within(scope: Scope): Scope {
  spend(SCOPE_BYTES);
  return { names: new Map(), outer: scope, position: scope.position };
}

function render(node: Statement, scope: Scope): string {
  switch (node.type) {
    case "Comment":
      return "";
    case "If":
      return renderBlock(isTrue(evaluate(node.test, scope)) ? node.body : node.alternate, scope);
    case "For":
      return renderLoop(node, scope);
    case "Set":
      assign(node, scope);
      return "";
    case "Macro":
      scope.names.set(node.name.value, macro(node, scope));
      return "";
    case "FilterStatement":
      return str(filtered(node.filter, renderBlock(node.body, within(scope)), scope));
    default:
      return str(evaluate(node, scope));
  }
}

function renderLoop(node: ForLoop, scope: Scope): string {
  const { iterable, loopvar, body } = node;
  const condition = iterable.type === "SelectExpression" ? iterable.test : undefined;
  const items = iterate(
    evaluate(iterable.type === "SelectExpression" ? iterable.lhs : iterable, scope),
  ).filter(
    (item) => condition === undefined || isTrue(evaluate(condition, bound(loopvar, item, within(scope)))),
  );
  if (items.length === 0) return renderBlock(node.defaultBlock, within(scope));
  let text = "";
  for (const [index, item] of items.entries()) {
    const round = bound(loopvar, item, within(scope));
    round.names.set("loop", loopAt(index, items));
    text += renderBlock(body, round);
    checkLength(text.length);
  }
  return text;
}

function loopAt(index: number, items: readonly PythonValue[]): Namespace {
  const names = new Map<string, PythonValue>([
    ["index", index + 1],
    ["index0", index],
    ["revindex", items.length - index],
    ["revindex0", items.length - index - 1],
    ["first", index === 0],
    ["last", index === items.length - 1],
    ["length", items.length],
    ["previtem", index > 0 ? items[index - 1]! : undefinedValue("there is no previous item")],
    ["nextitem", index + 1 < items.length ? items[index + 1]! : undefinedValue("there is no next item")],
  ]);
  return { kind: "names", type: "LoopContext", names };
}

function assign(node: SetStatement, scope: Scope): void {
  const value = node.value ? evaluate(node.value, scope) : renderBlock(node.body, within(scope));
  bound(node.assignee, value, scope);
}

/** `scope`, in which `target` means `value` from here on. */
function bound(target: Expression, value: PythonValue, scope: Scope): Scope {
  if (target.type === "Identifier") scope.names.set(target.value, value);
  else if (target.type === "TupleLiteral") {
    const items = iterate(value);
    if (items.length !== target.value.length)
      fail(`${items.length} values cannot be unpacked into ${target.value.length} names`);
    for (const [index, name] of target.value.entries()) bound(name, items[index]!, scope);
  } else if (
    target.type === "MemberExpression" &&
    target.property.type === "Identifier" &&
    !target.computed
  ) {
    const object = evaluate(target.object, scope);
    if (typeof object !== "object" || object?.kind !== "names" || object.type !== "Namespace")
      return fail("only names of a `namespace()` can be set with a dot");
    object.names.set(target.property.value, value);
  } else fail("this cannot be set");
  return scope;
}

function macro(node: Macro, scope: Scope): PythonValue {
  const parameters = node.args.map(
    (argument) => (argument.type === "Identifier" ? argument : argument.key).value,
  );
  const call = (given: CallArguments): PythonValue => {
    const values = bind(node.name.value, parameters, given);
    const own = within(scope);
    for (const [index, argument] of node.args.entries()) {
      const name = parameters[index]!;
      const missing = undefinedValue(`parameter '${name}' was not provided`);
      const otherwise = argument.type === "Identifier" ? missing : evaluate(argument.value, own);
      own.names.set(name, values[index] === undefined ? otherwise : values[index]);
    }
    return renderBlock(node.body, own);
  };
  return { kind: "callable", name: node.name.value, call };
}

function evaluate(node: Expression, scope: Scope): PythonValue {
  switch (node.type) {
    case "Identifier":
      return lookUp(node.value, scope);
    case "StringLiteral":
    case "IntegerLiteral":
      return node.value;
    case "FloatLiteral":
      return float(node.value);
    case "ArrayLiteral":
      return sequence(
        "list",
        node.value.map((item) => evaluate(item, scope)),
      );
    case "TupleLiteral":
      return sequence(
        "tuple",
        node.value.map((item) => evaluate(item, scope)),
      );
    case "ObjectLiteral":
      return {
        kind: "dict",
        entries: new Map(
          Array.from(node.value, ([key, value]) => [keyOf(key, scope), evaluate(value, scope)]),
        ),
      };
    case "MemberExpression":
      return member(node, scope);
    case "CallExpression":
      return called(node, scope);
    case "UnaryExpression":
      return negated(node.operator.value, evaluate(node.argument, scope));
    case "BinaryExpression": {
      const left = evaluate(node.left, scope);
      if (node.operator.value === "and") return isTrue(left) ? evaluate(node.right, scope) : left;
      if (node.operator.value === "or") return isTrue(left) ? left : evaluate(node.right, scope);
      return operate(node.operator.value, left, evaluate(node.right, scope));
    }
    case "FilterExpression":
      return filtered(node.filter, evaluate(node.operand, scope), scope);
    case "TestExpression": {
      const test = TESTS.get(node.test.value);
      return test
        ? test(evaluate(node.operand, scope)) !== node.negate
        : fail(`the test \`${node.test.value}\` is not supported`);
    }
    case "Ternary":
      return evaluate(isTrue(evaluate(node.condition, scope)) ? node.trueExpr : node.falseExpr, scope);
    case "SelectExpression":
      return isTrue(evaluate(node.test, scope))
        ? evaluate(node.lhs, scope)
        : { ...undefinedValue("the inline `if` is false and has no `else`"), isQuiet: true };
  }
}

function lookUp(name: string, scope: Scope): PythonValue {
  const constant = CONSTANTS.get(name);
  if (constant !== undefined) return constant;
  for (let place: Scope | undefined = scope; place; place = place.outer) {
    const value = place.names.get(name);
    if (value !== undefined) return value;
  }
  return undefinedValue(`'${name}' is undefined`);
}

function keyOf(key: Expression, scope: Scope): string {
  const value = evaluate(key, scope);
  return typeof value === "string" ? value : fail("keys of a dictionary that are no texts are not supported");
}

function member({ object, property, computed }: MemberExpression, scope: Scope): PythonValue {
  const value = evaluate(object, scope);
  if (property.type === "SliceExpression") {
    const { start, stop, step } = property;
    return slice(
      value,
      [start, stop, step].map((bound) => (bound ? evaluate(bound, scope) : null)),
    );
  }
  return !computed && property.type === "Identifier"
    ? attribute(value, property.value)
    : subscript(value, evaluate(property, scope));
}

function called(node: CallExpression, scope: Scope): PythonValue {
  const callee = defined(evaluate(node.callee, scope));
  if (typeof callee !== "object" || callee?.kind !== "callable")
    return fail(`a value of the type ${typeOf(callee)} cannot be called`);
  return callee.call(argumentsOf(node, scope));
}

function filtered(filter: FilterName, value: PythonValue, scope: Scope): PythonValue {
  const name = filter.type === "Identifier" ? filter : filter.callee;
  if (name.type !== "Identifier") return fail("syntax error in the name of a filter");
  const given =
    filter.type === "Identifier" ? { positional: [], named: new Map() } : argumentsOf(filter, scope);
  return applyFilter(name.value, value, given);
}

function argumentsOf({ args }: CallExpression, scope: Scope): CallArguments {
  const positional: PythonValue[] = [];
  const named = new Map<string, PythonValue>();
  for (const argument of args) {
    if (argument.type === "KeywordArgumentExpression")
      named.set(argument.key.value, evaluate(argument.value, scope));
    else positional.push(evaluate(argument, scope));
  }
  return { positional, named };
}

function negated(operator: string, value: PythonValue): PythonValue {
  if (operator === "not") return !isTrue(value);
  const number = numberOf(defined(value));
  if (number === undefined) return fail(`\`${operator}\` does not work on ${typeOf(value)}`);
  const result = operator === "-" ? -number : number;
  return isFloat(value) ? float(result) : int(result);
}
