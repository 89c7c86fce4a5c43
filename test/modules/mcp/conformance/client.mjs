// What the conformance suite runs as a client: our connection, our listing and our actions, as built, against the server whose URL is
// the last argument. Every tool is called, every resource read, every prompt used.

import { keepConnected } from "../../../../dist/modules/mcp/life/connection.js";
import { openServer } from "../../../../dist/modules/mcp/life/open-server.js";
import { createActions } from "../../../../dist/modules/mcp/tools/actions.js";
import { listOffers } from "../../../../dist/modules/mcp/tools/list.js";
import { mergeOffers } from "../../../../dist/modules/mcp/tools/offer.js";
import { createClock } from "../../../../dist/src/base/clock.js";
import { unwrapOutside } from "../../../../dist/src/domain/authoring/outside.js";
import { createNetwork } from "../../../../dist/src/environment/network/network.js";

const url = process.argv.at(-1);
const { toolCalls } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const { signal } = new AbortController();
const clock = createClock();
const network = createNetwork({ allowPrivate: [] });
const connectMs = 10_000;

const entry = { name: "it", way: { kind: "http", url, headers: {} } };
const connection = keepConnected(
  entry.name,
  (attempt) => openServer(entry, { network, clock }, { ...attempt, connectMs }),
  clock,
);
await connection.settled(signal);
const listing = await connection.use((client) => listOffers(client, connectMs));
const found = [{ name: entry.name, isTrusted: false, listing }];
const offer = mergeOffers(undefined, found, { tokens: 100_000, count: (text) => text.length });
const actions = createActions(async () => connection, { callMs: 20_000, readMs: 20_000 })(offer);
const host = { signal, progress() {}, keep: async () => "kept" };

/** What came of it is printed: the suite shows that where it is not content. */
async function act(name, given) {
  // What does not fit the schema is not sent.
  const refused = (error) => ({ outcome: "refused", content: error.message });
  const { outcome, content } = await actions[name].execute(given, host).catch(refused);
  const text = unwrapOutside(content).trim();
  console.log(name, JSON.stringify(given), outcome, text);
  return text;
}

for (const { tool, name, schema } of offer.tools) {
  for (const given of argumentsOf(tool, schema)) await act(name, given);
}
if (actions.listResources) {
  const resources = await act("listResources", { server: entry.name });
  for (const line of resources.split("\n"))
    await act("readResource", { server: entry.name, uri: line.split(" - ")[0] });
}
for (const { name } of offer.servers[0].prompts) await act("usePrompt", { server: entry.name, name });

await connection.close();
await network.close();

/** Of each call. */
function argumentsOf(tool, { properties = {} }) {
  const wanted = toolCalls?.filter(({ name }) => name === tool).map(({ arguments: given }) => given);
  // An argument that is left out is one that is null, and models are refused what does not fit the schema.
  if (wanted?.length > 0) return wanted.map((given) => without(given, null));
  const rich = listing.tools.find(({ name }) => name === "json_schema_2020_12_tool");
  return [
    Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, valueOf(type, rich)])),
  ];
}

function valueOf(type, rich) {
  if (type === "object") return rich?.inputSchema ?? {};
  return { string: "x", boolean: true }[type] ?? 1;
}

function without(given, value) {
  return Object.fromEntries(Object.entries(given).filter(([, inner]) => inner !== value));
}
