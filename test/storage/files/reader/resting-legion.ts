// A legion of many agents at rest, and whatever may touch one of them.

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
import { expect } from "vitest";
import { createDisk } from "../../../../src/base/files/disk.ts";
import type { AgentId, Message } from "../../../../src/domain/message/message.ts";
import { VERSION } from "../../../../src/past/digest/digest.ts";
import { openFileLog } from "../../../../src/storage/files/log.ts";
import { openMailbox, readMailbox } from "../../../../src/storage/files/mailbox.ts";
import { createFileReader, type FileReader } from "../../../../src/storage/files/reader/reader.ts";
import { keepRecord } from "../../../../src/storage/files/record.ts";
import { signedFile } from "../../../../src/storage/folder/cache/signed-file.ts";
import type { Authorship } from "../../../../src/storage/folder/person/authorship.ts";
import { letter } from "../../../mail/letter.ts";
import { ownHand } from "../../../own-hand.ts";
import { decided, prompted } from "../../../past/digest/any-log.ts";
import { createTempProject } from "../../../temp-project.ts";

export const AGENTS = 34;
/** What nobody but a file that was kept can say. */
export const FORGED = 7_777;

/** What is told of each agent, in one file for all of them where it was told before. */
export interface ToldOfMany<T> {
  readonly file: string;
  /** What the file bears, without the version of what it is made of. */
  readonly name: string;
  /** Of each agent that made one step, as the file says it; and with so many in its place. */
  says(steps: number): string;
  tell(reader: FileReader): Promise<readonly T[]>;
}

/** A legion at rest, of which nobody has touched anything for a while. */
export async function createResting<T extends { readonly id: AgentId }>(what: ToldOfMany<T>, many = AGENTS) {
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
  const kept = join(paths.root, "cache/together", what.file);
  const told = async (): Promise<readonly T[]> =>
    (await what.tell(createFileReader(project))).toSorted((a, b) => Number(a.id) - Number(b.id));
  const file = async (version = VERSION, authorship?: Authorship) =>
    signedFile({ path: kept, tmp, name: `${what.name}, ${version}` }, authorship ?? (await ownHand()));
  return {
    ...{ project, paths, kept, settle, work, say, told, folderOf },
    /** As they are told where nothing is kept. */
    async anew(): Promise<readonly T[]> {
      await rm(join(paths.root, "cache"), { recursive: true, force: true });
      return told();
    },
    send,
    sendTo8: () => appendFile(file8, `${lines[1]}\n`),
    /** Has what is kept say what no log does. */
    async forge(version = VERSION, authorship?: Authorship): Promise<void> {
      await told();
      const said = (await (await file()).read())!.toString("utf8");
      const forged = said.replaceAll(what.says(1), what.says(FORGED));
      expect(forged).not.toBe(said);
      await (await file(version, authorship)).write(Buffer.from(forged));
    },
  };
}

type Resting = Awaited<ReturnType<typeof createResting<{ readonly id: AgentId }>>>;

async function segmentOf({ folderOf }: Resting, agent: AgentId, at = 0): Promise<string> {
  const folder = join(folderOf(agent), "log");
  return join(folder, (await readdir(folder)).sort().at(at)!);
}

export const TOUCHES: Readonly<Record<string, (legion: Resting, agent: AgentId) => Promise<void>>> = {
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
