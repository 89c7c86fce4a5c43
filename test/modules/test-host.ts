import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { onTestFinished } from "vitest";
import { createBackground } from "../../src/agent/parts/background/background.ts";
import { createDisk } from "../../src/base/files/disk.ts";
import { NO_SECRETS } from "../../src/base/redaction/redactor.ts";
import { createLocalEnvironment } from "../../src/environment/local.ts";
import type { ActionResult, Module } from "../../src/domain/authoring/module.ts";
import { closedPremises } from "../../src/legion/hosting/shared-host.ts";
import { estimateTokens } from "../../src/model/tokens/tokens.ts";
import type { Replacement } from "../../src/domain/authoring/workspace.ts";
import type { Host, NodeHost, Peer } from "../../src/domain/authoring/host.ts";

export interface TestHost {
  readonly host: Host;
  /** Absolute real path of a workspace that is deleted when the test ends. */
  readonly root: string;
  /** What is kept of the module's state, in order of the last change. */
  readonly state: Map<string, unknown>;
  readonly sent: { readonly targets: readonly string[] | "all"; readonly content: string }[];
  readonly remembered: Parameters<Host["remember"]>[0][];
  readonly contexts: Parameters<Host["putContext"]>[0][];
  /** What actions said that they are about to change. */
  readonly replaced: Replacement[];
  act(action: string, parameters?: unknown): Promise<ActionResult>;
  /** Writes a file of the workspace, with its folders. */
  file(path: string, content?: string | Uint8Array): string;
}

export interface Setup {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly peers?: readonly Peer[];
  readonly id?: string;
  /** `text` if absent. */
  readonly protocol?: Host["protocol"];
  readonly signal?: AbortSignal;
  readonly state?: Readonly<Record<string, unknown>>;
  /** Answers the module's own model calls; refuses them if absent. */
  readonly complete?: Host["complete"];
  readonly word?: Host["word"];
  /** What results may be long, in tokens. */
  readonly maxTokens?: number;
  /** The same of the pinned message. */
  readonly maxPinnedTokens?: number;
  /** The marks of what a text has to hide; of none if absent. */
  readonly hides?: Host["hides"];
  /** Everything is permitted if absent. */
  readonly permits?: Host["permits"];
  /** What the module found outside before; nothing if absent. */
  readonly offer?: unknown;
  /** Long-term memories that the agent reaches; none if absent. */
  readonly memories?: Host["memories"];
  /** What the process offers; nothing if absent. */
  readonly node?: NodeHost;
}

/** One agent's host for `module`: a real workspace, real commands, state that is kept as soon as it is written. */
export function createTestHost(module: Module, setup: Setup = {}): TestHost {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "legion-workspace-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const { id = "1", peers = [], settings = {}, signal = new AbortController().signal } = setup;
  const state = new Map(Object.entries(setup.state ?? {}));
  const sent: TestHost["sent"] = [];
  const remembered: TestHost["remembered"] = [];
  const contexts: TestHost["contexts"] = [];
  const replaced: TestHost["replaced"] = [];
  const environment = createLocalEnvironment(process.env);
  const mark = randomUUID();
  const background = createBackground({
    folder: join(root, ".ai-legion/agents", id),
    disk: createDisk(join(root, ".ai-legion/tmp")),
    redactor: NO_SECRETS,
    workspace: {
      root,
      home: ".ai-legion",
      execute: (command, options) => environment.execute(command, { cwd: root, ...options }),
      endLeft: environment.endLeft,
    },
    mark: () => mark,
    lost: new AbortController().signal,
  });
  // Before the workspace goes.
  onTestFinished(background.close);

  function file(path: string, content: string | Uint8Array = ""): string {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    return join(root, path);
  }

  const startProgram: Host["programs"]["startOutside"] = (order) =>
    environment.start({ ...order, mark: `${mark}.${randomUUID()}` });
  const host: Host = {
    offer: setup.offer,
    agent: { id, name: `Agent ${id}`, description: "", brief: "" },
    actions: [],
    protocol: setup.protocol ?? "text",
    howToAct: "",
    state: {
      get: (key) => state.get(key),
      set(key, value) {
        state.delete(key);
        state.set(key, JSON.parse(JSON.stringify(value)));
      },
      delete: (key) => void state.delete(key),
      keys: () => [...state.keys()],
    },
    history: {
      search: () => Promise.resolve([]),
      open: () => Promise.resolve(undefined),
      latestInstruction: () => undefined,
    },
    workspace: {
      root,
      home: ".ai-legion",
      execute: (command, options) => environment.execute(command, { cwd: root, ...options }),
      background: background.of(module.name),
    },
    programs: {
      isConfined: false,
      confinement: environment.confinement,
      start: startProgram,
      startOutside: startProgram,
    },
    node: setup.node ?? closedPremises(() => Promise.reject(new Error("no web here"))),
    settings,
    signal,
    memories: setup.memories ?? [],
    remember: async (entry) => void remembered.push(entry),
    putContext: async (context) => void contexts.push(context),
    send(targets, content) {
      const unknown =
        targets === "all" ? [] : targets.filter((to) => to !== "0" && !peers.some((peer) => peer.id === to));
      if (unknown.length > 0) return Promise.reject(new Error(`There is no agent ${unknown.join(", ")}.`));
      sent.push({ targets, content });
      const to = targets === "all" ? peers.flatMap((peer) => (peer.id === id ? [] : peer.id)) : targets;
      return Promise.resolve(to.map((one) => `${id}>${one}#1`));
    },
    async replacing(changes) {
      replaced.push(...(await changes()).map((one) => ({ ...one, path: relative(root, one.path) })));
    },
    progress: () => undefined,
    permits: setup.permits ?? (() => true),
    peers: () => Promise.resolve(peers),
    word: setup.word ?? (() => Promise.reject(new Error("no templates here"))),
    complete: setup.complete ?? (() => Promise.reject(new Error("no model here"))),
    tokens: estimateTokens,
    maxTokens: setup.maxTokens ?? 25_000,
    maxPinnedTokens: setup.maxPinnedTokens ?? 25_000,
    objective: () => undefined,
    hides: setup.hides ?? (() => []),
    keep(content) {
      const path = `.ai-legion/agents/${id}/blobs/${createHash("sha256").update(content).digest("hex")}`;
      file(path, content);
      return Promise.resolve(path);
    },
    onClose: () => undefined,
  };

  const act: TestHost["act"] = (action, parameters = {}) => module.actions[action]!.execute(parameters, host);
  return { host, root, state, sent, remembered, contexts, replaced, act, file };
}
