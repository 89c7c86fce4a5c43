// The one handle of this process to Redis.
//
//   U1. Nothing waits: while the link is down, whatever is asked is rejected at once.
//   U2. Nothing is sent twice, but for a script that Redis did not know: that was not run.
//   U3. When the link is back, every channel is listened to again before anybody is told.

import { createHash } from "node:crypto";
import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Redis } from "ioredis";
import { LegionError, messageOf } from "../../../base/errors.ts";
import { showHost, type RedisAddress } from "./address.ts";
import { faultOf, mayPass, replyCode, unansweredFault } from "./faults.ts";
import { createPacks } from "./packs.ts";
import { factsIn } from "./topology.ts";
import { openLine, type Down, type RedisLine } from "./reconnect.ts";
import type { LuaScript } from "./script.ts";
import { incarnationOf, openSession, type Session } from "./session.ts";
import { encode } from "./words.ts";

export interface Link {
  /** `redis://host:6379/0`, for people: without any password. */
  readonly shown: string;
  /**
   * Runs a script; all keys bear one hash tag. What is asked in one turn goes out together, in this order; only a script that
   * Redis does not know yet falls behind. Everything here rejects with STORAGE, and a sentence that says what to do.
   */
  run(script: LuaScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** One command whose first argument is a key: a Cluster is asked where that is. A map is answered as a flat list. */
  command(name: string, ...args: readonly (string | number | Buffer)[]): Promise<unknown>;
  /** One command for each server that holds data: one, or the masters of a Cluster. */
  commandAll(name: string, ...args: readonly (string | number)[]): Promise<readonly ServerAnswer[]>;
  /** Calls `listener` for each text said on `channel` from when this resolves; returns how to stop. */
  listen(channel: string, listener: (text: string) => void): Promise<() => void>;
  /** Says `text` on `channel`. It may be lost, and nobody is told. */
  hint(channel: string, text: string): void;
  /** Not the same as before when a server was restarted or another one took over: what was accepted last may be gone. */
  incarnation(): Promise<string>;
  /**
   * `listener` is called when the link is up again after it was down, before anything is asked; it is told the incarnation
   * that was found. Returns how to stop.
   */
  onReturn(listener: (incarnation: string) => void): () => void;
  readonly standing: { readonly state: "up" } | Down;
  /** Waits for the answers to what was asked before. */
  close(): Promise<void>;
}

export interface ServerAnswer {
  /** `host:port`. */
  readonly server: string;
  readonly reply: unknown;
}

export interface LinkOptions {
  /** How long an answer is waited for; default 3000. */
  readonly commandTimeoutMs?: number;
}

export interface ReachOptions extends LinkOptions {
  /** Nothing is tried any more after this time; default 30 s. */
  readonly patienceMs?: number;
  /** Why the last try failed. Called before each pause. */
  readonly onRetry?: (reason: string) => void;
}

const COMMAND_TIMEOUT_MS = 3_000;
const PATIENCE_MS = 30_000;
const PAUSE_MS = 1_000;
const UP: Link["standing"] = { state: "up" };

/**
 * Like `openLink`, with another try every second while what is wrong may pass: nothing listens there yet, data is being
 * loaded, a failover is under way. Rejects at once for what only a person can mend.
 */
export async function reachRedis(address: RedisAddress, options: ReachOptions = {}): Promise<Link> {
  const { patienceMs = PATIENCE_MS, onRetry } = options;
  const endsAt = performance.now() + patienceMs;
  for (;;) {
    try {
      return await openLink(address, options);
    } catch (error) {
      if (!mayPass(error) || performance.now() + PAUSE_MS > endsAt) throw error;
      onRetry?.(messageOf(error));
    }
    await delay(PAUSE_MS);
  }
}

/**
 * One try to reach Redis. Rejects with STORAGE, and with USAGE where the address names a file that cannot be read.
 * Once open, the link comes back by itself whenever it is lost, until it is closed.
 */
export async function openLink(
  address: RedisAddress,
  { commandTimeoutMs: timeoutMs = COMMAND_TIMEOUT_MS }: LinkOptions = {},
): Promise<Link> {
  const { shown } = address;
  const heard: HeardChannels = new EventEmitter<Record<string, [text: string]>>().setMaxListeners(0);
  const onMessage = (channel: string, text: string) => void heard.emit(channel, text);
  const line = await openLine({
    open: () => openSession({ address, timeoutMs, channels: heard.eventNames().map(String), onMessage }),
    explain: (cause) => faultOf(cause, shown).message,
  }).catch((error: unknown) => Promise.reject(faultOf(error, shown)));

  const askNow = asker(address, line);
  const packs = createPacks({
    send: (script, keys, args) =>
      sendScript(askNow, script, ({ client, send }, name, text) => {
        const words = [text, keys.length, ...keys, ...args];
        return send ? send(name, encode(words)) : client.call(name, words);
      }),
    sendEncoded: (script, keys, words) =>
      sendScript(askNow, script, ({ send }, name, text) => {
        const head = encode([text, keys]);
        return send!(name, { count: head.count + words.count, text: head.text + words.text });
      }),
    isSingle: () => line.now.state === "up" && line.now.session.send !== undefined,
    explain: (error) => unansweredFault(error, shown),
  });
  const ask: AskSession = (asking) => {
    packs.flush();
    return askNow(asking);
  };
  const commandAll = askAll(ask);
  return {
    shown,
    run: packs.run,
    command: (name, ...args) => ask(({ client }) => client.call(name, ...args)),
    commandAll,
    listen: createListening(line, ask, heard),
    hint(channel, text) {
      packs.flush();
      said(line, ({ client }) => client.publish(channel, text));
    },
    async incarnation() {
      const answers = await commandAll("INFO", "server");
      return incarnationOf(answers.map(({ reply }) => factsIn(reply).get("run_id") ?? ""));
    },
    onReturn: (listener) => line.onReturn(({ incarnation }) => listener(incarnation)),
    get standing() {
      return line.now.state === "up" ? UP : line.now;
    },
    close() {
      packs.flush();
      return line.close();
    },
  };
}

/** One event for each channel. */
type HeardChannels = EventEmitter<Record<string, [text: string]>>;

function createListening(line: RedisLine, ask: AskSession, heard: HeardChannels): Link["listen"] {
  return async (channel, listener) => {
    const hear = (text: string) => listener(text);
    heard.on(channel, hear);
    try {
      await ask(({ subscriber }) => subscriber.subscribe(channel));
    } catch (error) {
      heard.off(channel, hear);
      throw error;
    }
    return () => {
      heard.off(channel, hear);
      if (heard.listenerCount(channel) > 0) return;
      said(line, ({ subscriber }) => subscriber.unsubscribe(channel));
    };
  };
}

/** `call` sends a script by its text, or by its hash. */
function sendScript(ask: AskSession, script: LuaScript, call: CallScript): Promise<unknown> {
  const whole: SessionCall<unknown> = (session) => call(session, "eval", script.lua);
  const byHash: SessionCall<unknown> = (session) => call(session, "evalsha", hashOf(script));
  return ask((session) => (isFirstUse(session, script) ? whole : byHash)(session), whole);
}

type CallScript = (session: Session, name: "eval" | "evalsha", text: string) => Promise<unknown>;

const used = new WeakMap<Session, Set<LuaScript>>();

/** True once for each script of a session: if the first of several were not known, those behind it would overtake it. */
function isFirstUse(session: Session, script: LuaScript): boolean {
  const scripts = used.get(session) ?? new Set();
  used.set(session, scripts);
  return scripts.size < scripts.add(script).size;
}

type SessionCall<T> = (session: Session) => Promise<T>;

/** `whole` is asked instead where Redis does not know the script that `asking` names by its hash. */
type AskSession = <T>(asking: SessionCall<T>, whole?: SessionCall<T>) => Promise<T>;

/** Asks every server that holds data. */
function askAll(ask: AskSession): Link["commandAll"] {
  return (name, ...args) =>
    ask((session) =>
      Promise.all(
        session.masters().map(async (master) => {
          const reply = await master.call(name, ...args);
          const { remoteAddress: host = "unknown", remotePort: port = 0 } = master.stream;
          return { server: showHost({ host, port }), reply };
        }),
      ),
    );
}

function asker({ shown }: RedisAddress, line: RedisLine): AskSession {
  return (asking, whole) => {
    const { now } = line;
    if (now.state === "down") {
      return Promise.reject(new LegionError("STORAGE", `nothing was sent: ${now.reason}`));
    }
    const { session } = now;
    gatherTurn(session);
    const refuse = (error: unknown): never => {
      // It was a master when the session began. Whoever knows the new one has to be asked again.
      if (replyCode(error) === "READONLY") session.life.abort(error);
      throw unansweredFault(error, shown);
    };
    return asking(session).catch((error: unknown) =>
      whole && replyCode(error) === "NOSCRIPT" ? whole(session).catch(refuse) : refuse(error),
    );
  };
}

const gathering = new WeakSet<Session>();

/** What is asked in one turn goes out in one write: a thousand small ones cost both sides more than what is in them. */
function gatherTurn(session: Session): void {
  if (gathering.has(session)) return;
  gathering.add(session);
  // In a Cluster a master that nothing was asked of has no connection yet.
  const streams = session
    .masters()
    .flatMap(({ stream }: { readonly stream?: Redis["stream"] }) => stream ?? []);
  for (const stream of streams) stream.cork();
  process.nextTick(() => {
    gathering.delete(session);
    for (const stream of streams) stream.uncork();
  });
}

/** For what may be lost: while the link is down, or with it. */
function said(line: RedisLine, saying: SessionCall<unknown>): void {
  if (line.now.state === "up") saying(line.now.session).catch(() => "lost");
}

const hashes = new WeakMap<LuaScript, string>();

function hashOf(script: LuaScript): string {
  let hash = hashes.get(script);
  if (hash === undefined) {
    hash = createHash("sha1").update(script.lua).digest("hex");
    hashes.set(script, hash);
  }
  return hash;
}
