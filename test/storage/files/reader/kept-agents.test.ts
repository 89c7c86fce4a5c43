import {
  appendFile,
  cp,
  link,
  lstat,
  readFile,
  readdir,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDisk } from "../../../../src/base/files/disk.ts";
import type { AgentId, Message } from "../../../../src/domain/message/message.ts";
import { storedStatuses, type AgentStatus } from "../../../../src/legion/status.ts";
import { VERSION } from "../../../../src/past/digest/digest.ts";
import { openFileLog } from "../../../../src/storage/files/log.ts";
import { openMailbox, readMailbox } from "../../../../src/storage/files/mailbox.ts";
import { createFileReader } from "../../../../src/storage/files/reader/reader.ts";
import { keepRecord } from "../../../../src/storage/files/record.ts";
import { signedFile } from "../../../../src/storage/folder/cache/signed-file.ts";
import type { Authorship } from "../../../../src/storage/folder/person/authorship.ts";
import { letter } from "../../../mail/letter.ts";
import { ownHand } from "../../../own-hand.ts";
import { decided, prompted } from "../../../past/digest/any-log.ts";
import { createTempProject } from "../../../temp-project.ts";

const AGENTS = 34;
/** What nobody but a file that was kept can say. */
const FORGED = 7_777;

/** A legion at rest, of which nobody has touched anything for a while. */
async function createResting(many = AGENTS) {
  const project = await createTempProject();
  const { paths } = createFileReader(project);
  const { agents, agent: folderOf, tmp, corrupt } = paths;
  let writers = 0;
  const place = async (agent: AgentId, authorship?: Authorship) => {
    const lock = { epoch: ++writers, held: () => true };
    return {
      ...{ disk: createDisk(tmp), lock, durability: "process" as const, clock: { now: () => 1_000 } },
      ...{ corruptFolder: corrupt, folder: folderOf(agent), authorship: authorship ?? (await ownHand()) },
    };
  };
  const work = async (agent: AgentId, authorship?: Authorship): Promise<void> => {
    const { log } = await openFileLog(await place(agent, authorship), () => undefined);
    await log.append([prompted(1), decided(1)]);
    await log.close();
  };
  /** As if what was changed just now had been changed a while ago. */
  const settle = async (): Promise<void> => {
    const past = new Date(Date.now() - 60_000);
    for (const name of await readdir(agents, { recursive: true })) {
      const found = await lstat(join(agents, name));
      const isOld = Date.now() - found.mtimeMs > 30_000;
      if (!isOld && !found.isSymbolicLink()) await utimes(join(agents, name), past, past);
    }
  };
  const say = async (agent: AgentId, record: string): Promise<void> =>
    keepRecord(agent, record, await place(agent));
  const deliver = async (
    agent: AgentId,
    ...mail: { readonly kind: string; readonly from?: string; readonly message?: Message }[]
  ): Promise<void> => {
    const folder = join(folderOf(agent), "mailbox");
    const writer = await place(agent);
    const { start } = await readMailbox(folder, writer.disk, { taken: 0, seen: new Map() });
    const journal = openMailbox(agent, folder, writer, start);
    journal.write(mail);
    await journal.close();
  };
  const send = (agent: AgentId): Promise<void> => {
    const { message } = letter(agent, 1, { from: "0" });
    return deliver(agent, { kind: "mail", from: "log of 0", message });
  };
  await work("1");
  for (let id = 2; id <= many; id++) await cp(folderOf("1"), folderOf(String(id)), { recursive: true });
  for (let id = 1; id <= many; id++) {
    await say(String(id), `{"model":"first"}`);
    await deliver(String(id), { kind: "adopted" });
  }
  // Of one the mail is still to be written, into a file that is there.
  await send("8");
  const mailboxOf8 = join(folderOf("8"), "mailbox");
  const file8 = join(mailboxOf8, (await readdir(mailboxOf8)).sort().at(-1)!);
  const lines = (await readFile(file8, "utf8")).split("\n");
  await writeFile(file8, `${lines[0]}\n`);
  await settle();
  const kept = join(paths.root, "cache/agents");
  const statuses = async (): Promise<readonly AgentStatus[]> => {
    const reader = createFileReader(project);
    const told = await storedStatuses(await reader.known(), reader);
    return [...told.values()].sort((a, b) => Number(a.id) - Number(b.id));
  };
  const file = async (version = VERSION, authorship?: Authorship) =>
    signedFile({ path: kept, tmp, name: `agents at rest, ${version}` }, authorship ?? (await ownHand()));
  return {
    ...{ project, paths, kept, settle, work, say, statuses, folderOf },
    /** As they are told where nothing is kept. */
    async anew(): Promise<readonly AgentStatus[]> {
      await rm(join(paths.root, "cache"), { recursive: true, force: true });
      return statuses();
    },
    send,
    sendTo8: () => appendFile(file8, `${lines[1]}\n`),
    /** Has what is kept say what no log does. */
    async forge(version = VERSION, authorship?: Authorship): Promise<void> {
      await statuses();
      const said = (await (await file()).read())!.toString("utf8");
      const forged = said.replaceAll(`"steps":1,`, `"steps":${FORGED},`);
      expect(forged).not.toBe(said);
      await (await file(version, authorship)).write(Buffer.from(forged));
    },
  };
}

const stepsOf = (statuses: readonly AgentStatus[]) => new Set(statuses.map(({ steps }) => steps));

describe("what was told of many agents", () => {
  it("is told again where nobody touched them, and nothing else is read", async () => {
    const { statuses, forge } = await createResting();
    const first = await statuses();
    expect(first.length).toBe(AGENTS);
    expect(stepsOf(first)).toEqual(new Set([1]));
    expect(await statuses()).toEqual(first);
    await forge();
    expect(stepsOf(await statuses())).toEqual(new Set([FORGED]));
  });

  it("is kept of few of them in no file", async () => {
    const { statuses, kept } = await createResting(31);
    await statuses();
    await expect(readFile(kept)).rejects.toThrow("ENOENT");
  });

  it.each([
    ["somebody else signed", VERSION, "theirs"],
    ["another version wrote", VERSION + 1, "own"],
  ] as const)("counts for nothing where %s it", async (_, version, whose) => {
    const { statuses, forge } = await createResting();
    const own = await ownHand();
    const theirs: Authorship = { ...own, sign: (of, epoch) => own.sign(`not ${of}`, epoch) };
    await forge(version, whose === "own" ? own : theirs);
    expect(stepsOf(await statuses())).toEqual(new Set([1]));
  });

  it("counts for nothing where one of its bytes is another one", async () => {
    const { statuses, kept } = await createResting();
    await statuses();
    await writeFile(kept, (await readFile(kept, "utf8")).replace(`"steps":1,`, `"steps":2,`));
    expect(stepsOf(await statuses())).toEqual(new Set([1]));
  });

  it("is kept of nobody whose files were changed a moment ago", async () => {
    const { statuses, work, kept } = await createResting();
    for (let id = 1; id <= AGENTS; id++) await work(String(id));
    await statuses();
    await expect(readFile(kept)).rejects.toThrow("ENOENT");
  });

  it("is kept neither of somebody else's agents nor of those with mail", async () => {
    const { statuses, work, send, settle, kept, folderOf } = await createResting(AGENTS + 2);
    const own = await ownHand();
    await rm(folderOf("2"), { recursive: true });
    await work("2", { ...own, sign: () => "0".repeat(64) });
    await send("3");
    await settle();
    const first = await statuses();
    expect(first[1]?.state).toBe("halted");
    expect(first[2]?.unread).toBe(1);
    const names = (await readFile(kept, "utf8")).split("\n").slice(1, -1);
    expect(names.map((line) => (JSON.parse(line) as { agent: string }).agent).sort()).toEqual(
      first
        .map(({ id }) => id)
        .filter((id) => id !== "2" && id !== "3")
        .sort(),
    );
    expect(await statuses()).toEqual(first);
  });
});

type Resting = Awaited<ReturnType<typeof createResting>>;

async function segmentOf({ folderOf }: Resting, agent: AgentId, at = 0): Promise<string> {
  const folder = join(folderOf(agent), "log");
  return join(folder, (await readdir(folder)).sort().at(at)!);
}

const TOUCHES: Readonly<Record<string, (legion: Resting, agent: AgentId) => Promise<void>>> = {
  "its log grows": ({ work }, agent) => work(agent),
  "mail comes": ({ send }, agent) => send(agent),
  "its record is another one": ({ say }, agent) => say(agent, `{"model":"other"}`),
  "its record is edited in its place, to one as long": async ({ folderOf }, agent) => {
    const path = join(folderOf(agent), "agent.json");
    await writeFile(path, (await readFile(path, "utf8")).replace("first", "frist"));
  },
  "its record is gone": ({ folderOf }, agent) => rm(join(folderOf(agent), "agent.json"), { force: true }),
  "its log is gone": ({ folderOf }, agent) =>
    rm(join(folderOf(agent), "log"), { recursive: true, force: true }),
  "its log is cut short": async (legion, agent) => {
    const path = await segmentOf(legion, agent);
    const lines = (await readFile(path, "utf8")).split("\n");
    await writeFile(path, `${lines.slice(0, -2).join("\n")}\n`);
  },
  "bytes follow its log": async (legion, agent) => appendFile(await segmentOf(legion, agent), "{}\n"),
  "its log is another file that says the same": async (legion, agent) => {
    const path = await segmentOf(legion, agent);
    await cp(path, `${path}.new`);
    await rename(`${path}.new`, path);
  },
  "its folder is that of another agent": async ({ folderOf }, agent) => {
    await rm(folderOf(agent), { recursive: true });
    await cp(folderOf("34"), folderOf(agent), { recursive: true });
  },
  "it is gone": ({ folderOf }, agent) => rm(folderOf(agent), { recursive: true }),
  "a link leads to its log": async (legion, agent) => {
    const path = await segmentOf(legion, agent);
    const elsewhere = join(legion.project, `moved-${agent}`);
    await rename(path, elsewhere);
    await symlink(elsewhere, path);
  },
  "its log has a second name": async (legion, agent) =>
    link(await segmentOf(legion, agent), join(legion.project, `second-${agent}`)),
};

describe("an agent is read anew", () => {
  it("where mail comes into a file that was there", async () => {
    const { forge, sendTo8, statuses } = await createResting();
    await forge();
    await sendTo8();
    expect((await statuses()).filter(({ id }) => id === "8")).toMatchObject([{ steps: 1, unread: 1 }]);
  });

  it.each(Object.keys(TOUCHES))("where %s", async (touch) => {
    const legion = await createResting();
    await legion.forge();
    await TOUCHES[touch]!(legion, "7");
    const told = await legion.statuses();
    const touched = told.filter(({ id }) => id === "7");
    expect(stepsOf(told.filter(({ id }) => id !== "7"))).toEqual(new Set([FORGED]));
    expect(touched).toEqual((await legion.anew()).filter(({ id }) => id === "7"));
  });

  it("and all of them are told as if nothing were kept, whatever anybody touches (property)", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...Object.keys(TOUCHES)), fc.integer({ min: 1, max: 33 })), {
          minLength: 1,
          maxLength: 6,
        }),
        async (touches) => {
          const legion = await createResting();
          for (const [touch, agent] of touches) {
            await legion.statuses().catch(String);
            await TOUCHES[touch]!(legion, String(agent)).catch(() => undefined);
            await legion.settle();
          }
          const told = await legion.statuses().catch(String);
          expect(await legion.statuses().catch(String)).toEqual(told);
          expect(await legion.anew().catch(String)).toEqual(told);
        },
      ),
      { numRuns: 12 },
    );
  });
});
