import { createServer, type AddressInfo, type Server } from "node:net";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Environment } from "../../../src/environment/environment.ts";
import { createNetwork } from "../../../src/environment/network/network.ts";
import { BROKEN_HOSTS, PRIVATE_HOSTS, PRIVATE_NAMES } from "../network/hosts.ts";
import { namesOf } from "../network/web.ts";
import { bubblewrapIsThere, openChosen, placeIn } from "../opened.ts";

const DISGUISED = [
  "web.test@127.0.0.1",
  "web.test#@127.0.0.1",
  "web.test%00.127.0.0.1",
  "127.0.0.1#.web.test",
];
const HOSTS = [...PRIVATE_HOSTS, ...BROKEN_HOSTS, ...DISGUISED];
/** Parts the answers; no answer holds it. */
const MARK = "=====";

/** Sends the requests of a file, whole lines of it, to the proxy that a command is given. */
const SEND = `
# The proxy hangs up on what is no request: whether that is noticed in writing or in reading is nobody's answer.
exec 2>/dev/null
trap '' PIPE
key=$(printf %s "$HTTP_PROXY" | sed 's|^http://||; s|@.*||' | base64 -w0)
end=$'\\r\\n'
while IFS= read -r line; do
  exec 3<>/dev/tcp/127.0.0.1/3128
  printf %s "$line$end" "host: web.test$end" "proxy-authorization: Basic $key$end" "connection: close$end$end" >&3
  case $line in CONNECT*) printf %s "GET / HTTP/1.1$end" "host: web.test$end$end" >&3 ;; esac
  printf '%s\\n' "${MARK}$line"
  timeout 5 cat <&3
  exec 3>&-
done < requests`;

describe.runIf(bubblewrapIsThere)("hostile: SSRF through a command's proxy", () => {
  let workspace: string;
  let environment: Environment;
  let trap: Server;
  let connections = 0;
  let answers: ReadonlyMap<string, string>;
  const requestsOf = (host: string): readonly string[] => {
    const { port } = trap.address() as AddressInfo;
    return [`CONNECT ${host}:${port} HTTP/1.1`, `GET http://${host}:${port}/ HTTP/1.1`];
  };

  beforeAll(async () => {
    workspace = await realpath(await mkdtemp("/var/tmp/legion-ssrf-"));
    trap = createServer((socket) => {
      connections++;
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nSECRET");
    });
    // On every address of this machine.
    await new Promise<void>((resolve) => trap.listen(0, resolve));
    const lookup = namesOf({ ...PRIVATE_NAMES, "web.test": ["93.184.216.34"] });
    const network = createNetwork({ allowPrivate: [], lookup });
    // Every host is allowed to the command, by whatever name: only the address is in the way.
    environment = await openChosen(
      { kind: "bubblewrap", network: ["*"] },
      { ...placeIn(workspace), network },
    );
    await writeFile(join(workspace, "requests"), `${HOSTS.flatMap(requestsOf).join("\n")}\n`);
    const { signal } = new AbortController();
    const { output } = await environment.execute(SEND, { cwd: workspace, timeoutMs: 100_000, signal });
    const parts = output.split(MARK).slice(1);
    answers = new Map(parts.map((part) => part.split(/\n(.*)/s, 2) as [string, string]));
  }, 120_000);

  afterAll(async () => {
    trap.close();
    await environment.close();
    await rm(workspace, { recursive: true, force: true });
  });

  it.each(HOSTS)("reaches nothing by CONNECT, or a whole URL, to %s (H2, E8)", (host) => {
    for (const request of requestsOf(host)) {
      // What is no request at all is not answered; what is no host is not found.
      const isHost = PRIVATE_HOSTS.includes(host) && /^[\x21-\x7e]+$/.test(host);
      expect(answers.get(request)).toMatch(isHost ? /^HTTP\/1\.1 403 / : /^$|^HTTP\/1\.1 (?:403|502) /);
      expect(answers.get(request)).not.toContain("SECRET");
    }
    expect(connections).toBe(0);
  });

  it("would have been reached, had a person allowed it", async () => {
    const { port } = trap.address() as AddressInfo;
    const network = createNetwork({ allowPrivate: [`127.0.0.1:${port}`] });
    const place = { ...placeIn(workspace), network };
    const allowed = await openChosen({ kind: "bubblewrap", network: ["*"] }, place);
    await writeFile(join(workspace, "requests"), `${requestsOf("127.0.0.1").join("\n")}\n`);
    const { signal } = new AbortController();
    const { output } = await allowed.execute(SEND, { cwd: workspace, timeoutMs: 20_000, signal });
    expect(output.match(/SECRET/g)).toHaveLength(2);
    expect(connections).toBe(2);
  });
});
