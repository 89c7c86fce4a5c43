import { describe, expect, it } from "vitest";
import {
  explain,
  probeBubblewrap,
  thisMachine,
  type Machine,
} from "../../../src/environment/bubblewrap/probe.ts";
import { bubblewrapIsThere, openChosen, placeIn } from "../opened.ts";
import { environmentFor } from "../../../src/environment/open.ts";

/** One of which these files say this. */
function machine(files: Readonly<Record<string, string>> = {}): Machine {
  return { platform: "linux", variables: {}, read: (path) => files[path] ?? "" };
}

const DENIED =
  "bwrap: No permissions to create new namespace, likely because the kernel does not allow it: Operation not permitted";

describe("whether bubblewrap works here", () => {
  it.runIf(bubblewrapIsThere)("is found out by running `true` in the whole of it", async () => {
    expect(await probeBubblewrap(thisMachine(process.env))).toMatchObject({ works: true });
  });

  it("says that it is not installed, or not for this system", async () => {
    expect(await probeBubblewrap({ ...machine(), variables: { PATH: "/nowhere" } })).toEqual({
      works: false,
      reason: "bubblewrap is not installed",
      help: "install the package bubblewrap",
    });
    expect(await probeBubblewrap({ ...machine(), platform: "darwin" })).toMatchObject({
      reason: "bubblewrap is for Linux only",
    });
  });

  it.each([
    ["user namespaces are off", { "/proc/sys/user/max_user_namespaces": "0\n" }, DENIED],
    ["only for root", { "/proc/sys/kernel/unprivileged_userns_clone": "0\n" }, DENIED],
    [
      "AppArmor forbids",
      { "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n" },
      "bwrap: setting up uid map: Permission denied",
    ],
    ["a seccomp filter forbids", { "/proc/self/status": "Name:\tnode\nSeccomp:\t2\n" }, DENIED],
    [
      "a seccomp filter forbids",
      {
        "/proc/self/status": "Name:\tnode\nSeccomp:\t2\n",
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n",
      },
      DENIED,
    ],
    ["cannot mount a fresh /proc", {}, "bwrap: Can't mount proc on /newroot/proc: Operation not permitted"],
    ["too old", {}, "bwrap: Unknown option --json-status-fd"],
    ["bwrap: something new", {}, "bwrap: something new"],
  ])("says why not, and what helps: %s", (reason, files, complaint) => {
    const found = explain(complaint, machine(files));
    expect(found.reason).toContain(reason);
    expect(found.help).not.toBe("");
  });

  it("makes nothing less of it where somebody asked for it", async () => {
    const probe = { works: false, reason: "user namespaces are off", help: "sysctl" } as const;
    const finding = { kind: "local", why: "", probe } as const;
    const asked = environmentFor({ choice: { kind: "bubblewrap" }, finding, variables: {} });
    await expect(asked(placeIn("/"))).rejects.toThrow(
      "environment: bubblewrap does not work here: user namespaces are off (sysctl)",
    );
    expect((await environmentFor({ choice: {}, finding, variables: {} })(placeIn("/"))).kind).toBe("local");
  });

  it.each([
    [{ kind: "local", network: "off" }, "local is no sandbox"],
    [{ kind: "bubblewrap", read: ["/"] }, "holds more than commands may see"],
    [{ kind: "bubblewrap", read: ["~/.ssh"] }, "holds more|is protected"],
  ] as const)("refuses what would mean nothing, or show too much: %j", async (choice, text) => {
    const opening = (async () =>
      openChosen(choice, placeIn("/usr/src"), { ...process.env, HOME: "/var/tmp" }))();
    if (bubblewrapIsThere || choice.kind === "local") await expect(opening).rejects.toThrow(new RegExp(text));
    else await opening.catch(() => undefined);
  });
});
