import type { Extracted } from "../document.ts";
import { UnreadableError } from "./unreadable.ts";

/** The text of a PDF, page by page. Throws a sentence if there is none, or a password before it. */
export async function readPdf(body: Uint8Array): Promise<Extracted> {
  const { extractText, getDocumentProxy, getMeta } = await import("unpdf");
  const pdf = await getDocumentProxy(body, {
    verbosity: 0,
    isEvalSupported: false,
    useSystemFonts: false,
  }).catch(refuse);
  const { text } = await extractText(pdf, { mergePages: false });
  const pages = text.map((page, index) => `[Page ${index + 1} of ${text.length}]\n\n${page.trim()}`);
  if (text.every((page) => page.trim() === "")) {
    throw new UnreadableError(
      `This PDF has no text on its ${pagesOf(text.length)}: it was probably scanned.`,
    );
  }
  const { info } = await getMeta(pdf);
  const title: unknown = info["Title"];
  return {
    title: typeof title === "string" ? title.trim() : "",
    text: pages.join("\n\n"),
    remarks: [`A PDF of ${pagesOf(text.length)}.`],
  };
}

function pagesOf(count: number): string {
  return count === 1 ? "1 page" : `${count} pages`;
}

function refuse(error: unknown): never {
  const isLocked = error instanceof Error && error.name === "PasswordException";
  throw new UnreadableError(
    isLocked ? "This PDF is locked with a password." : "This PDF is damaged and cannot be read.",
  );
}
