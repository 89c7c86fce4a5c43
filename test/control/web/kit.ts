// A legion whose page is served, and whoever asks something of it: as a browser does, and byte for byte.

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { onTestFinished } from "vitest";
import { expectDescribed } from "../described.ts";
import { keepMetricsToken } from "../../../src/control/metrics/token.ts";
import { watchLegion } from "../../../src/control/reading/watched.ts";
import { serveDashboard, type DashboardOrder } from "../../../src/control/web/server.ts";
import { openPersonFolder } from "../../../src/storage/folder/person/folder.ts";
import { createFileBackend } from "../../../src/storage/files/backend.ts";

export interface OpenedPage {
  readonly port: number;
  readonly token: string;
  /** A request with the token. `body`: POST, as JSON. */
  ask(path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Asked>;
  /** What a stream tells, as it comes; it ends with the test. */
  stream(path: string, headers?: Readonly<Record<string, string>>): Promise<AsyncGenerator<Told>>;
  /** The whole answer to `text`, once the server has closed the connection. */
  raw(text: string): Promise<string>;
  close(): Promise<void>;
}

interface Asked {
  readonly status: number;
  // What a program gets is anything.
  readonly json: Readonly<Record<string, unknown>>;
}

export interface Told {
  readonly id?: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export async function openPage(project: string, order: Partial<DashboardOrder> = {}): Promise<OpenedPage> {
  const backend = createFileBackend(project);
  const watched = watchLegion({ project, backend, config: { durability: "process" } }, 3_600_000);
  const person = openPersonFolder(process.env);
  const scraper = (await readFile(await keepMetricsToken(person), "utf8")).trim();
  const { url, close } = await serveDashboard(watched, {
    ...{ port: 0, hosts: [], access: "all", person, ...order },
  });
  onTestFinished(close);
  const { port, hash, origin } = new URL(url);
  const token = hash.replace("#token=", "");
  const authorization = `Bearer ${token}`;
  return {
    port: Number(port),
    token,
    close,
    async ask(path, body, headers = {}) {
      const posted = body && { method: "POST", body: JSON.stringify(body) };
      const type = body && { "content-type": "application/json" };
      const answer = await fetch(origin + path, {
        ...posted,
        headers: { authorization, ...type, ...headers },
      });
      const { status } = answer;
      const text = await answer.text();
      expectDescribed({ method: body ? "POST" : "GET", path, status, text });
      return { status, json: JSON.parse(text) as Asked["json"] };
    },
    async stream(path, headers = {}) {
      const leaving = new AbortController();
      onTestFinished(() => leaving.abort());
      const { body } = await fetch(origin + path, {
        ...{ headers: { authorization, ...headers }, signal: leaving.signal },
      });
      return items(body!, path);
    },
    async raw(text) {
      const socket = connect(Number(port), "127.0.0.1");
      let answer = "";
      socket.setEncoding("latin1").on("data", (part: string) => (answer += part));
      socket.on("error", () => undefined);
      socket.write(
        text.replaceAll("PORT", port).replaceAll("TOKEN", token).replaceAll("SCRAPER", scraper),
        "latin1",
      );
      await once(socket, "close");
      const [refusal] = /\{"error":.*\}/s.exec(answer) ?? [];
      if (refusal !== undefined)
        expectDescribed({ method: "GET", path: "/status", status: 400, text: refusal });
      return answer;
    },
  };
}

/** Server-sent events, without those that say nothing. */
async function* items(body: ReadableStream<Uint8Array>, path: string): AsyncGenerator<Told> {
  let rest = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split("\n\n");
    rest = parts.pop()!;
    for (const part of parts) {
      const [, id] = /^id: (.*)$/m.exec(part) ?? [];
      const [, data] = /^data: (.*)$/m.exec(part) ?? [];
      if (data === undefined) continue;
      expectDescribed({ method: "GET", path, status: 200, text: data });
      yield { ...(id !== undefined && { id }), value: JSON.parse(data) as Told["value"] };
    }
  }
}

/** The first that `holds`. */
export async function untilTold(told: AsyncGenerator<Told>, holds: (one: Told) => boolean): Promise<Told> {
  for (;;) {
    const { value, done } = await told.next();
    if (done) throw new Error("the stream ended");
    if (holds(value)) return value;
  }
}
