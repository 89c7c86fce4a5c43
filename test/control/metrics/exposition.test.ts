import { expect, it } from "vitest";
import { exposition, histogram, single } from "../../../src/control/metrics/exposition.ts";
import { checkMetrics } from "./promtool.ts";

it("what stands in a label is data: of any length, with quotes, line breaks and what a terminal would act on", async () => {
  const hostile = 'a"} 1\n# TYPE x counter\\ \u001b[2J\u202e\ud800<script>';
  const labels = { model: hostile, other: "x".repeat(500) };
  const text = exposition([
    {
      ...{ name: "ai_legion_tests_total", type: "counter", help: "A test\\n." },
      samples: [{ suffix: "", labels, value: 1 }],
    },
  ]);
  expect(text.split("\n")).toEqual([
    "# HELP ai_legion_tests_total A test\\\\n.",
    "# TYPE ai_legion_tests_total counter",
    `ai_legion_tests_total{model="a\\"} 1\ufffd# TYPE x counter\\\\ \ufffd[2J\ufffd\ufffd<script>",other="${"x".repeat(200)}"} 1`,
    "",
  ]);
  expect(checkMetrics(text)).toBe("");
});

it("buckets count all that is at most their bound, and numbers are written as Prometheus reads them", () => {
  const text = exposition([
    histogram(
      { name: "ai_legion_tests_seconds", help: "A test." },
      [0.5, 1],
      [
        { labels: { of: "a" }, sum: 4.5, counts: [1, 0, 2] },
        { labels: {}, sum: 0, counts: [] },
      ],
    ),
    single("ai_legion_test", "gauge", "A test.", Infinity),
    { name: "ai_legion_nothing", type: "gauge", help: "Nothing is known.", samples: [] },
  ]);
  expect(text).toBe(
    [
      "# HELP ai_legion_tests_seconds A test.",
      "# TYPE ai_legion_tests_seconds histogram",
      'ai_legion_tests_seconds_bucket{of="a",le="0.5"} 1',
      'ai_legion_tests_seconds_bucket{of="a",le="1"} 1',
      'ai_legion_tests_seconds_bucket{of="a",le="+Inf"} 3',
      'ai_legion_tests_seconds_sum{of="a"} 4.5',
      'ai_legion_tests_seconds_count{of="a"} 3',
      'ai_legion_tests_seconds_bucket{le="0.5"} 0',
      'ai_legion_tests_seconds_bucket{le="1"} 0',
      'ai_legion_tests_seconds_bucket{le="+Inf"} 0',
      "ai_legion_tests_seconds_sum 0",
      "ai_legion_tests_seconds_count 0",
      "# HELP ai_legion_test A test.",
      "# TYPE ai_legion_test gauge",
      "ai_legion_test +Inf",
      "",
    ].join("\n"),
  );
  expect(checkMetrics(text)).toBe("");
});
