import type { WorkerOptions } from "node:worker_threads";
import { afterAll, describe, expect, it } from "vitest";
import { openTemplates } from "../../../src/base/template/templates.ts";
import { startTemplateWorker } from "./start-worker.ts";

const started: WorkerOptions[] = [];
const templates = openTemplates({
  start(options) {
    started.push(options);
    return startTemplateWorker(options);
  },
});
afterAll(() => templates.close());

const variables = { s: "text", n: 1, d: { a: 1 }, l: [1, 2] };

async function faultOf(answer: Promise<unknown>): Promise<string> {
  const error: unknown = await answer.then(
    (text) => new Error(`not refused: ${String(text).slice(0, 100)}`),
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: "CONFIG" });
  return (error as Error).message;
}

describe("hostile: templates", () => {
  it.each([
    ["{{ s.constructor.constructor('return process')() }}", "'str object' has no attribute 'constructor'"],
    ["{{ s['constructor'] }}", "'str object' has no attribute 'constructor'"],
    ["{{ range.constructor('return 1')() }}", "'function object' has no attribute 'constructor'"],
    ["{{ l.map.constructor }}", "'list object' has no attribute 'map'"],
    ["{{ d.hasOwnProperty('a') }}", "'dict object' has no attribute 'hasOwnProperty'"],
    ["{{ d.valueOf }}", "'dict object' has no attribute 'valueOf'"],
    ["{{ d['__proto__'] }}", "`__proto__` of a value of the type dict is not supported"],
    ["{{ d.__proto__.polluted }}", "`__proto__` is out of reach of templates"],
    ["{{ s.__class__.__mro__[1].__subclasses__() }}", "`__subclasses__` is out of reach of templates"],
    ["{{ s['__cl' ~ 'ass__'] }}", "`__class__` of a value of the type str is not supported"],
    ["{{ namespace(a=1).names }}", "'Namespace object' has no attribute 'names'"],
    ["{% set d.__proto__ = 1 %}", "`__proto__` is out of reach of templates"],
    ["{{ s | constructor }}", "the filter `constructor` is not supported"],
    ["{{ s is toString }}", "the test `toString` is not supported"],
    ["{{ s.lower.constructor }}", "'function object' has no attribute 'constructor'"],
  ])("reach nothing of the host by %j", async (source, message) => {
    expect(await faultOf(templates.render(source, variables))).toBe(`line 1: ${message}`);
  });

  it.each([
    "process",
    "require",
    "globalThis",
    "console",
    "self",
    "constructor",
    "toString",
    "__proto__",
    "this",
  ])("do not know the name %s", async (name) => {
    expect(await faultOf(templates.render(`{{ ${name} }}`, variables))).toBe(
      `line 1: '${name}' is undefined`,
    );
  });

  it("see no environment, and their thread has none", async () => {
    expect(process.env.PATH).toBeTruthy();
    expect(await faultOf(templates.render("{{ PATH }}", variables))).toBe("line 1: 'PATH' is undefined");
    expect(started.every(({ env }) => Object.keys(env as object).length === 0)).toBe(true);
  });

  it("print what they are given and never render it: a task, an output, a key", async () => {
    const attack = "{{ 1 + 1 }}{% for a in range(9) %}{# #}";
    const given = { task: attack, output: { output: attack, [attack]: attack } };
    const source = "{{ task }}|{{ output.output }}|{{ output }}|{% set again = task ~ task %}{{ again }}";
    expect(await templates.render(source, given)).toBe(
      `${attack}|${attack}|{'output': '${attack}', '${attack}': '${attack}'}|${attack}${attack}`,
    );
  });

  it("take names of prototypes in variables for what they are", async () => {
    const given = JSON.parse(
      '{"__proto__": {"a": 1}, "constructor": "c", "d": {"__proto__": 2, "toString": 3}}',
    ) as object;
    expect(await templates.render("{{ constructor }} {{ d.toString }} {{ d }}", { ...given })).toBe(
      "c 3 {'__proto__': 2, 'toString': 3}",
    );
    expect(await templates.render("{{ {}.a is defined }}", {})).toBe("False");
  });

  it.each([
    ["{% for a in range(30000000) %}{% endfor %}", /more than 1,000,000 items/],
    ["{{ range(-9007199254740991, 9007199254740991) }}", /more than 1,000,000 items|2 \*\* 53/],
    ["{{ [1] * 10 ** 12 }}", /more than 1,000,000 items/],
    ["{{ 'a' * 10 ** 9 }}", /longer than 4,194,304 characters/],
    [
      "{% set n = namespace(t='ab') %}{% for a in range(60) %}{% set n.t = n.t ~ n.t %}{% endfor %}",
      /longer than/,
    ],
    [
      "{% set n = namespace(l=[1]) %}{% for a in range(60) %}{% set n.l = n.l + n.l %}{% endfor %}",
      /more than/,
    ],
    [
      "{% set n = namespace(l=[1]) %}{% for a in range(60) %}{% set n.l = [n.l, n.l] %}{% endfor %}{{ n.l }}",
      /longer than/,
    ],
    ["{{ 'a\\nb' | indent(10 ** 9) }}", /longer than/],
    ["{{ ('a\\n' * 1000000) | indent(100) }}", /longer than|more than/],
    ["{{ ['a' * 1000, 'b'] | join('c' * 4000000) }}{{ (['a' * 1000] * 9999) | join }}", /longer than/],
    ["{{ ('a' * 100000) | replace('a', 'b' * 100000) }}", /longer than/],
    ["{{ ('a' * 100000) | replace('', 'b' * 100000) }}", /longer than/],
    ["{{ [1, [2]] | tojson(10 ** 9) }}", /longer than/],
    ["{{ ('\x01' * 4000000) | tojson }}", /longer than/],
    ["{% for a in range(5000) %}{{ 'a' * 1000 }}{% endfor %}", /longer than/],
    ["{% macro m(n) %}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}", /^it goes too deep$/],
    [`{{ ${"(".repeat(100_000)}1${")".repeat(100_000)} }}`, /^it goes too deep$/],
    [`${"{% if 1 %}".repeat(20_000)}${"{% endif %}".repeat(20_000)}`, /^it goes too deep$/],
  ])("are stopped before they make what is too large: %#", async (source, message) => {
    expect(await faultOf(templates.render(source, {}))).toMatch(message);
  });

  it("come to the same whatever was rendered before, and has not been collected yet", async () => {
    // Each stays far from what it may take of time, and three of them come to more than there is memory for.
    const large =
      "{% set n = namespace(l=[]) %}{% for a in range(11) %}{% set n.l = [n.l, 'é語' * 1000000 ~ a] %}{{ n.l[1][:1] }}{% endfor %}";
    for (let round = 0; round < 10; round++) {
      expect(await templates.render(large, {})).toBe("é".repeat(11));
      expect(
        await templates.render("{% for a in range(4000) %}{{ 'a' * 1000 }}{% endfor %}", {}),
      ).toHaveLength(4_000_000);
    }
  });

  it.each([
    ["loops in loops", "{% for a in range(999999) %}{% for b in range(999999) %}{% endfor %}{% endfor %}"],
    [
      "a macro that calls itself twice",
      "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
    ],
    [
      "a comparison of what doubled",
      "{% set n = namespace(a=[1], b=[1]) %}{% for i in range(60) %}{% set n.a = [n.a, n.a] %}{% set n.b = [n.b, n.b] %}{% endfor %}{{ n.a == n.b }}",
    ],
  ])("are ended after a second: %s", async (_, source) => {
    expect(await faultOf(templates.render(source, {}))).toBe("it took longer than 1 s");
    expect(await templates.render("{{ n }}", { n: 1 })).toBe("1");
  });

  it("are ended alone where they keep more than there is memory for, with what they left behind", async () => {
    const source =
      "{% set n = namespace(l=[]) %}{% for a in range(200) %}{% set n.l = [n.l, 'é語' * 1000000 ~ a] %}{{ n.l[1][:1] }}{% endfor %}";
    const before = started.length;
    expect(await faultOf(templates.render(source, {}))).toMatch(
      /it needs more than 128 MB of memory$|^it took longer than 1 s$/,
    );
    expect(await templates.render("{{ n }}", { n: 1 })).toBe("1");
    expect(started.length).toBeGreaterThan(before);
  });

  it.each([
    ["a text past what the thread can take at once", "語".repeat(17_000_000)],
    ["a million values", Array.from({ length: 1_100_000 }, (_, index) => index)],
    ["what holds itself", Object.assign([], { 0: variables }, { 1: [] as unknown[] })],
  ])("are not given %s", async (name, value) => {
    if (name === "what holds itself") (value as unknown[])[1] = value;
    expect(await faultOf(templates.render("{{ v | length }}", { v: value }))).toBe(
      "it is given more than 16,777,216 characters",
    );
  });

  it.each([
    ["(a+)+b", "a".repeat(40)],
    ["(?:a|aa)+b", "a".repeat(100)],
    ["(?=(a+)+b)c", "a".repeat(40)],
  ])("match for a second at most: %s", async (expression, text) => {
    expect(await faultOf(templates.match(expression, text))).toBe("it took longer than 1 s");
    expect(await templates.match("(a+)b", "aab")).toEqual(["aa"]);
  });

  it.each([
    ["(".repeat(30_000) + "a" + ")".repeat(30_000), "a", /^it goes too deep$/],
    [".", "é".repeat(2_000_000), /more than 1,000,000 items/],
    ["(?:a|é)+", "é".repeat(15_000_000), /^it goes too deep$/],
    ["a{1,9999999999}", "b", /^$/],
    ["a".repeat(70_000), "a", /^it is longer than 65,536 characters$/],
    ["a", "a".repeat(17_000_000), /given more than/],
  ])("find no more than there is room for: %#", async (expression, text, message) => {
    if (message.source === "^$") expect(await templates.match(expression, text)).toEqual([]);
    else expect(await faultOf(templates.match(expression, text))).toMatch(message);
  });
});
