import { existsSync } from "node:fs";
import { Readable } from "node:stream";
import type { ConfigFlags } from "../../../config/config.ts";
import { LegionError } from "../../../base/errors.ts";
import { chooseSession, type SessionChoice, type SessionHome } from "../../../storage/files/sessions.ts";
import { CONTROL } from "../../../domain/message/message.ts";
import { openPersonFolder } from "../../../storage/folder/person/folder.ts";
import { createAdmission } from "../../consent/ask-trust.ts";
import { canAsk } from "../../consent/confirm.ts";
import type { CliCommand, Io, Typed } from "../../kit/command.ts";
import {
  addCodeTrustOption,
  addDirOption,
  addJsonOption,
  addPolicyOption,
  projectOf,
  withSite,
  type Site,
} from "../../kit/target.ts";
import { readText } from "../../kit/typed-text.ts";
import { recallOwn, type Recalled } from "../start/selection.ts";

/** What has the task where nobody says it. */
const DEFAULT_AGENT = "assistant";

export const command: CliCommand = {
  define(parser) {
    addPolicyOption(addCodeTrustOption(addJsonOption(addDirOption(parser))))
      .argument("<task...>", "what shall be done; - reads it from standard input")
      .option("--session <name>", "in the session of that name, which is begun or gone on with")
      .option("--continue", "in the session, or run, with the newest event")
      .option(
        "--agent <name>",
        `a definition in agents/, or the path of one (default: ${DEFAULT_AGENT}; a session keeps its own)`,
      )
      .option("--model <name>", "anthropic/<id>, openai/<id>, offline or scripted:<file>")
      .option("--base-url <url>", "where the model's provider is, or a compatible server; this once")
      .option(
        "--limits <limits>",
        "steps=100,turns=50,tokens=2000000,cost=2.50,time=8h (any of them), or none",
      )
      .option("--yes", "let the agent run any command unasked, also without a sandbox")
      .option("--approvals <way>", "what has to be asked waits for you, or is denied: wait, deny");
  },
  async run(typed, io) {
    const choice = choiceIn(typed);
    const task = await readText(typed.args, io);
    const shown = ioOf(typed, io);
    const project = await projectOf(typed, shown);
    const session = await chooseSession(project, choice, openPersonFolder(io.env));
    const recalled = await recallSession(session, typed, shown);
    const flags = readFlags(typed, recalled);
    const { createTask } = await import("./task.ts");
    const { displayFor } = await import("./display.ts");
    const { hostLegion } = await import("../start/host.ts");
    const { name: run, home } = session;
    const work = createTask(task, run);
    const order = {
      ...recalled,
      task,
      flags,
      project,
      home,
      typed,
      until: "answered",
      detail: "brief",
    } as const;
    return hostLegion(
      {
        ...order,
        readers: typed.options["json"] ? "programs" : "people",
        admit: createAdmission(project, typed, shown),
        planWork: work.plan,
        openDisplay: displayFor({ run, task: work, stdout: io.stdout }),
      },
      shown,
    );
  },
};

function choiceIn({ options }: Typed): SessionChoice {
  const { session, continue: newest } = options;
  if (session === undefined) return newest ? "newest" : "new";
  if (newest) throw new LegionError("USAGE", "--continue takes the newest session; leave out --session");
  return { name: session };
}

/**
 * What a run works with: its words go to standard error, and nobody types unless both are a terminal. A base URL that was typed
 * is the person's own word, for whichever provider it will be.
 */
function ioOf({ options: { json, baseUrl } }: Typed, io: Io): Io {
  const isTyped = io.stdin.isTTY && io.stderr.isTTY && !json;
  const url = baseUrlIn(baseUrl);
  return {
    ...io,
    env: url === undefined ? io.env : { ...io.env, ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: url },
    stdin: isTyped ? io.stdin : (Readable.from([]) as Io["stdin"]),
    stdout: json ? io.stdout : io.stderr,
  };
}

function baseUrlIn(text: string | undefined): string | undefined {
  if (text === undefined || URL.canParse(text)) return text;
  throw new LegionError("USAGE", "--base-url: expected a URL such as http://localhost:11434/v1");
}

const AS_BEFORE = "as in this session before; --agent names another";

/** Who has the task: whom the session had before, unless another one is named. */
async function recallSession({ name, home }: SessionHome, typed: Typed, io: Io): Promise<Recalled> {
  const begun: Recalled = { who: { kind: "count", count: 1 } };
  if (!existsSync(home)) return begun;
  const options = { ...typed.options, run: name };
  return withSite(
    { ...typed, options },
    io,
    async (site) => {
      await refuseForeign(site, typed, io);
      const last = await site.reader.lastStart();
      if (typed.options["agent"] !== undefined || !last) return begun;
      return { ...(await recallOwn({ kind: "last" }, site, { typed, io })), said: AS_BEFORE };
    },
    "refuse",
  );
}

/** What somebody else wrote is gone on with only where the person is asked about it, or said already that it counts. */
async function refuseForeign({ reader }: Site, { options }: Typed, io: Io): Promise<void> {
  if (options["trust"] || canAsk(io)) return;
  for (const id of [CONTROL, ...(await reader.known())]) {
    if (!(await reader.isForeign(id))) continue;
    const { foreign } = await import("../../../storage/contract/foreign.ts");
    throw foreign(id);
  }
}

function readFlags({ options }: Typed, { who, flags: last }: Recalled): ConfigFlags {
  const { policy, approvals, yes, model = last?.model, limits = last?.limits } = options;
  const agent = options["agent"] ?? (who.kind === "count" ? DEFAULT_AGENT : undefined);
  return { model, limits, agent, policy, approvals, bus: "memory", tick: "0", commands: yes && "allow" };
}
