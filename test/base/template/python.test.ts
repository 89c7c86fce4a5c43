// Against what Python itself came to: test/fixtures/python/recorded.py says how.

import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { float, openTemplates } from "../../../src/base/template/templates.ts";
import { startTemplateWorker } from "./start-worker.ts";

function recorded<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../fixtures/python/${name}`, import.meta.url), "utf8")) as T;
}

const { variables, rendered } = recorded<{
  readonly variables: Readonly<Record<string, unknown>> & { readonly f: { readonly float: number } };
  readonly rendered: readonly (readonly [source: string, text: string])[];
}>("templates.json");
const given = { ...variables, f: float(variables.f.float) };
const found =
  recorded<readonly (readonly [expression: string, text: string, found: readonly string[]])[]>(
    "expressions.json",
  );

const templates = openTemplates({ start: startTemplateWorker });
afterAll(() => templates.close());

const fault = (message: string): unknown => expect.objectContaining({ code: "CONFIG", message });

describe("Jinja2 with StrictUndefined renders", () => {
  it.each(rendered)("%j", async (source, text) => {
    await templates.check(source);
    expect(await templates.render(source, given)).toBe(text);
  });
});

describe("re.findall finds", () => {
  it.each(found)("%j in %j", async (expression, text, matches) => {
    await templates.checkExpression(expression);
    expect(await templates.match(expression, text)).toEqual(matches);
  });
});

describe("re.match finds", () => {
  it.each([
    ["git", "git status", true],
    ["git", "a git", false],
    ["git$", "git status", false],
    ["a|git", "git status", true],
    [".*rm", "echo\nrm", false],
    ["(?s).*rm", "echo\nrm", true],
    [".*", "", true],
    ["(?i)LS", "ls", true],
  ])("%j in %j: %j", async (expression, text, begins) => {
    expect(await templates.begins(expression, text)).toBe(begins);
    // It is kept from the first time on.
    expect(await templates.begins(expression, text)).toBe(begins);
  });
});

describe("a name that is not defined is an error where it is used:", () => {
  it.each([
    ["{{ no_such }}", "line 1: 'no_such' is undefined"],
    ["a\nb {{ d.no_such }}", "line 2: 'dict object' has no attribute 'no_such'"],
    ["{{ d['no_such'] }}", "line 1: 'dict object' has no attribute 'no_such'"],
    ["{{ s.no_such }}", "line 1: 'str object' has no attribute 'no_such'"],
    ["{{ l[9] }}", "line 1: list object has no element 9"],
    ["{{ none_.a }}", "line 1: 'None' has no attribute 'a'"],
    ["{{ no_such.a is defined }}", "line 1: 'no_such' is undefined"],
    ["{% if no_such %}a{% endif %}", "line 1: 'no_such' is undefined"],
    ["{% if yes %}\n\n{% if no %}{% elif no_such %}{% endif %}{% endif %}", "line 3: 'no_such' is undefined"],
    ["{% for a in no_such %}{% endfor %}", "line 1: 'no_such' is undefined"],
    ["{{ no_such == 1 }}", "line 1: 'no_such' is undefined"],
    ["{{ 1 in no_such }}", "line 1: 'no_such' is undefined"],
    ["{{ not no_such }}", "line 1: 'no_such' is undefined"],
    ["{{ no_such ~ 'a' }}", "line 1: 'no_such' is undefined"],
    ["{{ no_such | length }}", "line 1: 'no_such' is undefined"],
    ["{{ no_such | tojson }}", "line 1: 'no_such' is undefined"],
    ["{{ no_such() }}", "line 1: 'no_such' is undefined"],
    ["{% for a in l %}\n{{ a }}{{ loop.nextitem }}{% endfor %}", "line 2: there is no next item"],
    ["{% macro m(a) %}{{ a }}{% endmacro %}\n{{ m() }}", "line 1: parameter 'a' was not provided"],
  ])("%j", async (source, message) => {
    await templates.check(source);
    await expect(templates.render(source, given)).rejects.toEqual(fault(message));
  });
});

describe("what does not work in Python does not work here:", () => {
  it.each([
    ["{{ 1 + 'a' }}", "line 1: `+` does not work on int and str"],
    ["{{ 1 < 'a' }}", "line 1: `<` does not compare int and str"],
    ["{{ 1 / 0 }}", "line 1: division by zero"],
    ["{{ 5 | length }}", "line 1: a value of the type int has no length"],
    ["{% for a in 5 %}{% endfor %}", "line 1: a value of the type int cannot be gone through"],
    ["{{ n() }}", "line 1: a value of the type int cannot be called"],
    ["{{ d | indent }}", "line 1: `indent` takes a text, not a value of the type dict"],
    ["{{ l | join(1, 2, 3) }}", "line 1: `join` takes at most 1 arguments, and is given 3"],
    ["{{ l | sort(up=true) }}", "line 1: `sort` has no argument `up`"],
    ["{% set a, b = 1, 2, 3 %}", "line 1: 3 values cannot be unpacked into 2 names"],
    ["{% set d.a = 1 %}", "line 1: only names of a `namespace()` can be set with a dot"],
    ["{{ mixed | sort }}", "line 1: `<` does not compare str and int"],
  ])("%j", async (source, message) => {
    await expect(templates.render(source, given)).rejects.toEqual(fault(message));
  });
});

describe("a template is refused before it is rendered, by what is wrong with it:", () => {
  it.each([
    [
      "\n{% if a if b else c %}1{% endif %}",
      "line 2: syntax error at `if`; put the condition in parentheses",
    ],
    [
      "{% if a %}{% elif a if b %}1{% endif %}",
      "line 1: syntax error at `if`; put the condition in parentheses",
    ],
    [
      "{% for i in a if b else c %}1{% endfor %}",
      "line 1: syntax error at `else`; put the condition in parentheses",
    ],
    ["{% include 'a' %}", "line 1: the tag `include` is not supported"],
    ["\n{% import 'a' as b %}", "line 2: the tag `import` is not supported"],
    ["{% extends 'a' %}", "line 1: the tag `extends` is not supported"],
    ["{% block a %}{% endblock %}", "line 1: the tag `block` is not supported"],
    ["a\n{% raw %}{{ ' }}{% endraw %}", "line 2: the tag `raw` is not supported"],
    ["{% call m() %}{% endcall %}", "line 1: the tag `call` is not supported"],
    ["{%- generation -%}{% endgeneration %}", "line 1: the tag `generation` is not supported"],
    ["{% for a in b %}{% break %}{% endfor %}", "line 1: the tag `break` is not supported"],
    ["{% if no %}\n{{ a | truncate(5) }}{% endif %}", "line 2: the filter `truncate` is not supported"],
    ["{{ '%s' | format(1) }}", "line 1: the filter `format` is not supported"],
    ["{{ a | sum }}", "line 1: the filter `sum` is not supported"],
    ["{{ a | round(2) }}", "line 1: the filter `round` is not supported"],
    ["{{ a | wordwrap }}", "line 1: the filter `wordwrap` is not supported"],
    ["{{ a is divisibleby(3) }}", "line 1: the test `divisibleby` is not supported"],
    ["{{ a is not sameas b }}", "line 1: the test `sameas` is not supported"],
    ["{{ cycler(1) }}", "line 1: the function `cycler` is not supported"],
    ["{{ a.format(1) }}", "line 1: the method `format` is not supported"],
    ["{{ loop.cycle(1) }}", "line 1: the method `cycle` is not supported"],
    ["{{ f(*a) }}", "line 1: `*` and `**` before an argument are not supported"],
    ["{% macro m() %}{{ caller() }}{% endmacro %}", "line 1: `caller` in a macro is not supported"],
    ["{{ 1 < n < 3 }}", "line 1: `<` and `<` need parentheses here"],
    ["{{ 1 + 2 ~ 'a' }}", "line 1: `+` and `~` need parentheses here"],
    ["{{ 12345678901234567890 }}", "line 1: the number `12345678901234567890` is not supported"],
    ["{{ 1e3 }}", "line 1: the number `1e3` is not supported; write it without e"],
    ["{{ 1.5e3 }}", "line 1: the number `1.5e3` is not supported; write it without e"],
    ["a\n{% if a +%}{% endif %}", "line 2: `+%}` is not supported; leave out the +: blanks are kept anyway"],
    ["{%+ if a %}{% endif %}", "line 1: `{%+` is not supported; leave out the +: blanks are kept anyway"],
    ["{{ [1 2] }}", "line 1: syntax error at `2`"],
    ["a\n{{ b; }}", "line 2: syntax error: unexpected character: ;"],
    ["a\n{{ b\n\n", "line 2: syntax error: unexpected end of input"],
    ["{{ }}", "line 1: syntax error at `}}`"],
    ["a\n{% if a %}{{ b }}", "line 2: syntax error: a block is open at the end"],
    ["{% endif %}", "line 1: syntax error at `endif`"],
    [
      "{% for a in b recursive %}{% endfor %}",
      "line 1: `for ... recursive` is not supported; write a loop inside the loop",
    ],
    ["a\ufeff{%- set b = 1 %}", "line 1: an unusual blank beside a tag that strips blanks"],
  ])("%j", async (source, message) => {
    await expect(templates.check(source)).rejects.toEqual(fault(message));
    await expect(templates.render(source, given)).rejects.toEqual(fault(message));
  });

  it("and not what only looks like it", async () => {
    const source =
      "{{ (1 < n) == yes }} {{ (n + 1) ~ '/' ~ (n - 1) }} {{ '{% include %}' }} {# {% include %} #}";
    expect(await templates.render(source, given)).toBe("True 8/6 {% include %} ");
  });
});

describe("an expression is refused by what is wrong with it:", () => {
  it.each([
    ["(a", "syntax error: missing ), unterminated subpattern"],
    ["a)", "syntax error: unbalanced parenthesis"],
    ["[a", "syntax error: unterminated character set"],
    ["*a", "syntax error: nothing to repeat"],
    ["a**", "syntax error: multiple repeat"],
    ["a{2,1}", "syntax error: min repeat greater than max repeat"],
    ["[z-a]", "syntax error: bad character range"],
    ["\\q", "syntax error: bad escape \\q"],
    ["\\x4", "syntax error: bad escape \\x4"],
    ["(a)\\2", "syntax error: invalid group reference 2"],
    ["(?P<a>b)(?P<a>c)", "syntax error: the name a is given to two groups"],
    ["(?P=a)b", "syntax error: unknown group name a"],
    ["a(?i)b", "syntax error: flags in the middle, or unknown extension ?i"],
    ["(?<=a+)b", "syntax error: look-behind requires fixed-width pattern"],
    ["(?au)b", "the flags a and u exclude each other"],
    ["(?L)b", "the flag L is not supported"],
    ["(a)?(?(1)b|c)", "a condition `(?(...)...)` is not supported"],
    ["\\N{DIGIT ONE}", "the escape `\\N` is not supported"],
    ["(.*)", "it can match an empty text"],
    ["(?:a*)*b", "the repetition of something that can be empty is not supported"],
    ["(?:(a)|b)+c", "a group that not every repetition matches is not supported"],
    ["(a)?b\\1", "a reference to a group that may not have matched is not supported"],
    ["(?i)(a)\\1", "a reference to a group that ignores case is not supported"],
    ["(?!(a))b", "a group in a negative look-ahead is not supported"],
  ])("%s", async (expression, message) => {
    await expect(templates.checkExpression(expression)).rejects.toEqual(fault(message));
    await expect(templates.match(expression, "ab")).rejects.toEqual(fault(message));
  });
});
