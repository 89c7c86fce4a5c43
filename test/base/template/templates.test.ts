import { spawn } from "node:child_process";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterAll, describe, expect, it } from "vitest";
import { float, openTemplates, type StartRenderer } from "../../../src/base/template/templates.ts";
import { startTemplateWorker } from "./start-worker.ts";

const templates = openTemplates({ start: startTemplateWorker });
afterAll(() => templates.close());

const FOREVER = "{% for a in range(1000000) %}{% for b in range(1000000) %}{% endfor %}{% endfor %}";

const config = (message: string) => expect.objectContaining({ code: "CONFIG", message }) as unknown;

describe("templates", () => {
  it("are rendered with the variables that they are given", async () => {
    const source = "{{ task }}{% if output.returncode %} failed{% endif %}\n";
    expect(await templates.render(source, { task: "Fix {{ it }}", output: { returncode: 1 } })).toBe(
      "Fix {{ it }} failed",
    );
  });

  it("print a float that is whole as Python does, where it is told", async () => {
    const numbers = { limit: float(3), steps: 3, cost: 0.25, nested: { limit: [float(0)] } };
    expect(await templates.render("{{ limit }} {{ steps }} {{ cost }} {{ nested }}", numbers)).toBe(
      "3.0 3 0.25 {'limit': [0.0]}",
    );
  });

  it("take a name whose value is `undefined` as one that was not given", async () => {
    const variables = { a: undefined, b: { c: undefined } };
    expect(await templates.render("{{ a is defined }} {{ b.c is defined }}", variables)).toBe("False False");
  });

  it("render side by side, each with its own", async () => {
    const texts = await Promise.all(
      Array.from({ length: 50 }, (_, n) => templates.render("{{ n }}{% if n is odd %}!{% endif %}", { n })),
    );
    expect(texts).toEqual(Array.from({ length: 50 }, (_, n) => (n % 2 === 1 ? `${n}!` : `${n}`)));
  });

  it("cannot have what no template has a word for", async () => {
    await expect(templates.render("{{ a }}", { a: () => 1 })).rejects.toEqual(
      config("a variable is nothing that a template can have: () => 1 could not be cloned."),
    );
    await expect(templates.render("{{ a }}", { a: new Date(0) })).rejects.toEqual(
      config("a value of the kind [object Date] is not supported"),
    );
    expect(await templates.render("{{ a }}", { a: 1 })).toBe("1");
  });
});

describe("the thread that renders", () => {
  function watched(): { readonly started: Worker[]; readonly start: StartRenderer } {
    const started: Worker[] = [];
    const start: StartRenderer = (options) => {
      const worker = startTemplateWorker(options);
      started.push(worker);
      return worker;
    };
    return { started, start };
  }

  it("starts with the first template, and is the only one", async () => {
    const { started, start } = watched();
    const own = openTemplates({ start });
    expect(started).toHaveLength(0);
    await Promise.all([own.render("a", {}), own.check("b"), own.match("c", "c"), own.render("d", {})]);
    expect(started).toHaveLength(1);
    await own.close();
  });

  it("stays for as long as there is something to render", async () => {
    const { started, start } = watched();
    const own = openTemplates({ start, idleMs: 1 });
    const busy = "{% for i in range(40000) %}{{ i }}{% endfor %}";
    await Promise.all(Array.from({ length: 20 }, () => own.render(busy, {})));
    expect(started).toHaveLength(1);
    await own.close();
  });

  it("is ended with a template that takes longer than a second; those behind it are rendered by another", async () => {
    const { started, start } = watched();
    const own = openTemplates({ start });
    const results = await Promise.allSettled([own.render(FOREVER, {}), own.render("{{ 1 }}", {})]);
    expect(results).toEqual([
      { status: "rejected", reason: config("it took longer than 1 s") },
      { status: "fulfilled", value: "1" },
    ]);
    expect(started).toHaveLength(2);
    await own.close();
  });

  it("leaves the process to go on while a template runs", async () => {
    const own = openTemplates({ start: startTemplateWorker });
    await own.render("ready", {});
    let turns = 0;
    const turn = setInterval(() => turns++, 1);
    await expect(own.render(FOREVER, {})).rejects.toEqual(config("it took longer than 1 s"));
    clearInterval(turn);
    expect(turns).toBeGreaterThan(10);
    await own.close();
  });

  it("has answered in time when it was the process that was busy", async () => {
    const own = openTemplates({ start: startTemplateWorker });
    await own.render("ready", {});
    const rendering = own.render("{{ 1 + 1 }}", {});
    const until = performance.now() + 1_200;
    while (performance.now() < until);
    expect(await rendering).toBe("2");
    await own.close();
  });

  it("ends when nothing was asked for a while, and starts again", async () => {
    const { started, start } = watched();
    const own = openTemplates({ start, idleMs: 1 });
    expect(await own.render("a", {})).toBe("a");
    const exited = new Promise((resolve) => started[0]!.once("exit", resolve));
    await exited;
    expect(await own.render("b", {})).toBe("b");
    expect(started).toHaveLength(2);
    await own.close();
  });

  it("is gone when they are closed, and what was not rendered rejects", async () => {
    const { started, start } = watched();
    const own = openTemplates({ start });
    await own.render("ready", {});
    const exited = new Promise((resolve) => started[0]!.once("exit", resolve));
    const pending = [own.render(FOREVER, {}), own.render("{{ 1 }}", {})].map((rendering) =>
      rendering.catch((error: unknown) => error),
    );
    await own.close();
    await exited;
    const refusal: unknown = expect.objectContaining({ code: "REFUSED" });
    expect(await Promise.all(pending)).toEqual([refusal, refusal]);
    await expect(own.render("{{ 1 }}", {})).rejects.toEqual(refusal);
  });

  it("ends with the signal, for its reason", async () => {
    const stop = new AbortController();
    const own = openTemplates({ start: startTemplateWorker, signal: stop.signal });
    const rendering = own.render(FOREVER, {}).catch((error: unknown) => error);
    const reason = new Error("enough");
    stop.abort(reason);
    expect(await rendering).toBe(reason);
    await expect(own.render("{{ 1 }}", {})).rejects.toMatchObject({ code: "REFUSED" });
  });

  it("says why it cannot start", async () => {
    const start: StartRenderer = (options) =>
      new Worker(new URL("./no-such-worker.mjs", import.meta.url), options);
    const own = openTemplates({ start });
    await expect(own.render("{{ 1 }}", {})).rejects.toMatchObject({
      message: expect.stringMatching(/^it cannot be rendered: Cannot find module/) as unknown,
    });
    await own.close();
  });

  it("does not keep a process alive", async () => {
    const url = new URL("./idle-process.mjs", import.meta.url);
    const child = spawn(process.execPath, [url.pathname], { stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.setEncoding("utf8");
    let output = "";
    child.stdout.on("data", (text: string) => (output += text));
    expect(await once(child, "close")).toEqual([0, null]);
    expect(output).toBe("rendered\n");
  });
});
