import type { Extracted } from "../../../../modules/web/document.ts";

/** Everything that was read of a document, as it stands in its golden file; the site's address differs from run to run. */
export function asGolden({ title, text, remarks }: Extracted, site: string): string {
  const head = [`title: ${title}`, ...remarks.map((remark) => `remark: ${remark}`)].join("\n");
  return `${head}\n\n${text}\n`.replaceAll(site, "http://site");
}
