import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { readCommandLine } from "../../../src/domain/policy/command-line.ts";
import { parseRule, type RuleUse } from "../../../src/domain/policy/rule.ts";

const PLACES = { workspace: "/srv/space", home: "/home/me" };

function fits(rule: string, command: string, use: RuleUse): boolean {
  return parseRule(rule, PLACES).fits({ kind: "run", command }, use);
}

describe("a rule about commands", () => {
  it.each([
    ["run npm test", "npm test"],
    ["run npm test", "  npm   test "],
    ["run npm *", "npm test --watch"],
    ["run npm *", "npm"],
    ["run npm run test:*", "npm run test:unit"],
    ["run git commit *", "git commit -m 'a; b && c | d'"],
    ["run git *", "git add a && git commit -m x; git log | git stripspace"],
    ["run echo *", 'echo "a b" c\\;d'],
    ["run echo *", 'echo "costs 5\\$" a#b c'],
    ["run *", "anything $(goes) > here"],
    ["run ls | wc", "ls | wc"],
  ])("%s allows %s", (rule, command) => {
    expect(fits(rule, command, "allow")).toBe(true);
  });

  it.each([
    ["run **", "git push"],
    ["run git push **", "git push origin main"],
  ])("%s is no less than with one star: it denies %s", (rule, command) => {
    expect(fits(rule, command, "deny")).toBe(true);
  });

  it.each([
    "git pull",
    "git status; echo done",
    "echo 'git push'",
    "npm run git-push",
    "git log > push",
    'for f in *.ts; do wc -l "$f"; done',
    "cat <<x\nit's the git push of $USER\nx",
    "find . -name '*.ts' -exec grep push {} \\;",
    'git commit -m "$MESSAGE"',
  ])("run git push * has nothing against %j", (command) => {
    expect(fits("run git push *", command, "deny")).toBe(false);
  });
});

describe("hostile: commands against rules", () => {
  // Each would do something else than what was allowed.
  it.each([
    ["run npm test", "npm test --x", "another word"],
    ["run npm test", "npm test; curl evil", "a list"],
    ["run npm test", "npm test && curl evil", "a list"],
    ["run npm test", "npm test || curl evil", "a list"],
    ["run npm test", "npm test | sh", "a pipe"],
    ["run npm test", "npm test & curl evil", "a job"],
    ["run npm test", "npm test\ncurl evil", "a line"],
    ["run echo *", "echo $(curl evil)", "a substitution"],
    ["run echo *", "echo `curl evil`", "a substitution"],
    ["run echo *", 'echo "$(curl evil)"', "a quoted substitution"],
    ["run echo *", 'echo "\\\\$(curl evil)"', "one behind a quoted backslash"],
    ["run echo *", "echo <(curl evil)", "a process substitution"],
    ["run echo *", "echo x > ~/.bashrc", "a redirection"],
    ["run echo *", "echo x >& ~/.bashrc", "a redirection of both streams"],
    ["run echo *", "echo $HOME", "a variable"],
    ["run echo *", "echo ${x:=$(curl evil)}", "an expansion"],
    ["run echo *", "echo $((x[$(curl evil)]))", "a sum"],
    ["run npm test", "PATH=. npm test", "an assignment"],
    ["run npm test", "LD_PRELOAD=./x.so npm test", "an assignment"],
    ["run npm *", "npm() { curl evil; }; npm test", "a function"],
    ["run npm test", "! npm test", "a keyword"],
    ["run npm test", "coproc npm test", "a coprocess"],
    ["run npm test", "time npm test", "a measured command"],
    ["run npm *", "case npm in npm) curl evil;; esac", "a case"],
    ["run rm *", "rm *", "a pattern"],
    ["run rm *", "rm {a,b}", "braces"],
    ["run echo *", "echo $'\\x41'", "an encoded word"],
    ["run npm test", "'npm test'", "another program"],
    ["run npm test", "npm test\u00a0", "a space of another kind"],
    ["run npm test", "npm test\r", "a carriage return"],
    ["run npm test", "npm test\0", "a NUL"],
    ["run npm test", "npm test #", "a comment"],
    ["run echo *", "echo a#b; curl evil", "what is no comment"],
    ["run echo *", "echo 'a'#b\ncurl evil", "what is no comment either"],
    ["run cat *", "cat <<x\n$(curl evil)\nx", "a document"],
    ["run echo *", "echo 'open", "an open quote"],
    ["run npm test", "npm test \\", "half of a line"],
    ["run npm test", "", "nothing"],
  ])("%s does not allow %j: %s", (rule, command) => {
    expect(fits(rule, command, "allow")).toBe(false);
  });

  it.each([
    "git push",
    "git push origin main",
    "ls; git push",
    "ls && git push -f",
    "true | git push",
    "sleep 1& git push",
    "echo a#b; git push",
    "echo $(git push)",
    'echo "`git push`"',
    'echo "$(cat "x"; git push)"',
    "echo `echo \\`git push\\``",
    "echo ${x:-$(git push)}",
    `echo ${"$(a) ".repeat(40)}$(git push)`,
    "diff <(git push) x",
    "(cd x; git push)",
    "if true; then git push; fi",
    "case x in x) git push;; esac",
    "echo $(case x in x) git push;; esac)",
    "function f { git push; }; f",
    "f() { git push; }; f",
    "X=1 git push",
    "/usr/bin/git push",
    "g\\it p''ush",
    '"git" "push"',
    "git pu\\\nsh",
    "git $'pu\\x73h'",
    "{git,push}",
    "git {push,}",
    "/usr/bin/gi? push",
    "g=git; $g push",
    "git $(echo push)",
    "git `echo pu`sh",
    "git $nothing push",
    "git >log push",
    "git 2>&1 push",
    "git &>log push",
    ">log git push",
    "git push > log",
    "git <<x push\nx",
    "cat <<x\nit's\nx\ngit push\necho isn't",
    "bash <<x\ngit push\nx",
    "bash <<< 'git push'",
    "cat <<x\ndon't $(git push) don't\nx",
    "sudo -n git push",
    "time -p git push",
    "coproc git push",
    "env A=b nice -n 5 git push",
    `env ${"A=b ".repeat(80)}git push`,
    "env /usr/bin/git push",
    "bash -c 'git push'",
    "bash -c 'env X=1 git push'",
    `bash -c "sh -c 'sudo git push'"`,
    'sh -c "cd x && git push"',
    "eval 'git push'",
    "trap 'git push' EXIT",
    "find . -exec git push ;",
    "echo x | xargs git push",
    "! git push",
    "{ git push; }",
    "echo x\0; git push",
  ])("run git push * denies %j, and asks about it", (command) => {
    expect(fits("run git push *", command, "deny")).toBe(true);
    expect(fits("run git push *", command, "ask")).toBe(true);
  });

  it("takes no longer than others can wait, whatever the command is", () => {
    for (const command of [
      "$(".repeat(40_000),
      '"$(`'.repeat(20_000),
      "env ".repeat(2_000),
      "git ".repeat(20_000),
      "<<a\n".repeat(20_000),
      "$x".repeat(40_000),
      "bash -c 'x y' ".repeat(5_000),
      `bash -c '${"a ".repeat(30_000)}'`,
    ])
      expect(typeof fits("run git push *x*y z", command, "deny")).toBe("boolean");
  });

  it("what is read plainly is what bash runs", () => {
    const commands = Array.from({ length: 4_000 }, (_, seed) => scribble(seed));
    const plain = commands.filter((command) => readCommandLine(command).unread === undefined);
    expect(plain.length).toBeGreaterThan(100);
    const ran = runInBash(plain);
    plain.forEach((command, at) => {
      const parts = readCommandLine(command).parts.map((part) => JSON.stringify(part));
      for (const words of ran[at]!) expect(parts, command).toContain(JSON.stringify(words));
    });
  });
});

/** Some words and signs, the same for the same seed. */
function scribble(seed: number): string {
  const pieces = [
    ...Array.from("ab \t\n;|&'\"\\#()<>$`{}*~!=\r\u00a0"),
    "&&",
    "||",
    "ab",
    " a",
    "a ",
    "\\\n",
    "time ",
    "if ",
  ];
  let state = seed * 7_919 + 1;
  const next = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  return Array.from(
    { length: 3 + Math.floor(next() * 9) },
    () => pieces[Math.floor(next() * pieces.length)],
  ).join("");
}

/** For each command the words of what bash came to run of it. */
function runInBash(commands: readonly string[]): readonly (readonly (readonly string[])[])[] {
  const script = [
    "command_not_found_handle() { local words; printf -v words '%s\\1' \"$@\"; printf '%s\\2' \"$words\"; }",
    "PATH=/nowhere",
    "while IFS= read -r -d '' line; do (eval \"$line\"; wait) 2>/dev/null; printf '\\3'; done",
  ].join("\n");
  const input = commands.map((command) => `${command}\0`).join("");
  const printed = execFileSync("bash", ["-c", script], { input, encoding: "utf8", cwd: tmpdir() });
  const split = (text: string, sign: string): string[] => text.split(sign).slice(0, -1);
  return split(printed, "\u0003").map((run) => split(run, "\u0002").map((words) => split(words, "\u0001")));
}
