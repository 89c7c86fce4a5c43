import { afterEach, describe, expect, it, vi } from "vitest";
import { groupsIn, LEAST_CASES, lacksOf, tableOf } from "../../scripts/hostile.mjs";

afterEach(() => void vi.unstubAllEnvs());

/** As many tests of a group as it must have, but for `missing`. */
function cases(group: string, least: number, { missing = 0, status = "passed" } = {}) {
  return Array.from({ length: least - missing }, () => ({
    ancestorTitles: ["about", `hostile: ${group}`, "a part"],
    status,
  }));
}

const ENOUGH = Object.entries(LEAST_CASES).flatMap(([group, least]) => cases(group, least));

describe("the groups of hostile cases", () => {
  it("are those that must not be missing: 170 cases at least, those through a command's proxy aside", () => {
    const sum = Object.values(LEAST_CASES).reduce((all, least) => all + least);
    expect(sum - LEAST_CASES["SSRF through a command's proxy"]).toBeGreaterThanOrEqual(170);
    expect(lacksOf(groupsIn(ENOUGH))).toEqual([]);
    expect(lacksOf(groupsIn([]))).toHaveLength(Object.keys(LEAST_CASES).length);
  });

  it("are counted wherever in the chain of titles the group stands, and other tests are not", () => {
    const others = [[], ["hostile"], ["a hostile: paths"], ["hostile: "]].map((ancestorTitles) => ({
      ancestorTitles,
      status: "passed",
    }));
    expect(groupsIn(others).every(({ blocked }) => blocked === 0)).toBe(true);
    const [paths] = groupsIn([...others, ...cases("paths", 2)]).filter(({ group }) => group === "paths");
    expect(paths).toEqual({ group: "paths", blocked: 2, failed: 0, skipped: 0 });
  });

  it("lack the cases that are gone, and know no group by another name", () => {
    const few = [...ENOUGH.slice(1), ...cases("path", 1)];
    expect(lacksOf(groupsIn(few))).toEqual([
      `hostile: SSRF has ${LEAST_CASES.SSRF - 1} cases of at least ${LEAST_CASES.SSRF}.`,
      "hostile: path is no group of scripts/hostile.mjs.",
    ]);
  });

  it("show what failed and what was skipped", () => {
    const failed = cases("pages", 2, { status: "failed" });
    const skipped = cases("pages", 3, { status: "pending" });
    expect(tableOf(groupsIn([...cases("pages", 4), ...failed, ...skipped])).split("\n")).toEqual([
      "hostile   cases blocked",
      "pages         9       4, 2 failed, 3 skipped",
      "all           9       4, 2 failed, 3 skipped",
    ]);
    expect(tableOf(groupsIn([]))).toBe("");
  });

  it("have what was skipped only where somebody reads that", () => {
    const skipped = groupsIn([
      ...ENOUGH.filter(({ ancestorTitles }) => !ancestorTitles.includes("hostile: pages")),
      ...cases("pages", LEAST_CASES.pages, { status: "skipped" }),
    ]);
    vi.stubEnv("CI", "");
    expect(lacksOf(skipped)).toEqual([]);
    vi.stubEnv("CI", "true");
    expect(lacksOf(skipped)).toEqual(["hostile: pages has 0 cases of at least 6."]);
  });
});
