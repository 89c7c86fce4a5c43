// The legion that the measure of the page looks at, as a process of its own: 500 agents which write 1,000 events a second in all. It tells
// its parent every second how far it is, and ends with it.

import { subscribe } from "node:diagnostics_channel";
import { setTimeout as delay } from "node:timers/promises";
import { instantModel, noop, plan, trivialCall } from "./bench.mjs";
import { talkTo, watchedLegion } from "./watched-legion.mjs";

/**
 * @typedef {object} Told
 * @property {string} url of the page
 * @property {string} shown the agent that is never at rest
 * @property {number} events written up to now
 * @property {number} bytes sent on the streams up to now
 * @property {number} cpuMs used up to now
 */

const AGENTS = 500;
const EVENTS = 1_000;
/** Of one message: said, sent, taken in, and two decisions, each with its prompt and its result. */
const EVENTS_EACH = 9;
const SHOWN = "1";
/** Of so many messages one is for the agent that is shown. */
const SHARE = 20;
const WORDS = "I look at the part that comes next, at how it ends, and at who asked for it.".split(/(?<= )/);
const WORD_MS = 4;
const WINDOW = 200_000;

/** Says what it does, does it, and rests. Word by word only where somebody sees it. @param {string} id */
function modelOf(id) {
  const answer = (/** @type {number} */ index) =>
    index % 2 === 0 ? { text: WORDS.join(""), ...trivialCall(index) } : noop();
  const model = instantModel(answer, WINDOW);
  if (id !== SHOWN) return model;
  return {
    ...model,
    async complete(/** @type {unknown} */ _request, /** @type {any} */ { onDelta }) {
      for (const text of WORDS) {
        onDelta?.({ kind: "text", text });
        await delay(WORD_MS);
      }
      return model.complete();
    },
  };
}

const ids = Array.from({ length: AGENTS }, (_, index) => String(index + 1));
const { legion, url } = await watchedLegion(
  await Promise.all(ids.map((id) => plan({ id, model: modelOf(id) }))),
);
let events = 0;
legion.inspector.watch((/** @type {any} */ { kind }) => void (kind === "event" && events++));
/** @type {Set<import("node:net").Socket>} */
const streams = new Set();
subscribe("http.server.request.start", (/** @type {any} */ { request, socket }) => {
  if (/\/(overview|events)(\?|$)/.test(request.url)) streams.add(socket);
});

function tell() {
  const bytes = [...streams].reduce((sum, socket) => sum + socket.bytesWritten, 0);
  const { user, system } = process.cpuUsage();
  const told = { url, shown: SHOWN, events, bytes, cpuMs: (user + system) / 1_000 };
  // Whoever has what they wanted hears no more.
  process.send?.(told, () => undefined);
}
process.once("disconnect", () => process.exit(0));
tell();
setInterval(tell, 1_000);
const order = ids.flatMap((id, index) => (index % SHARE === 0 ? [SHOWN, id] : [id]));
await talkTo(legion.control, order, { messages: EVENTS / EVENTS_EACH, forMs: Infinity });
