import type { Extracted } from "../document.ts";
import { MAX_TEXT_BYTES, tooMuchText, UnreadableError } from "./unreadable.ts";

/** The text of a PDF, page by page. Throws a sentence if there is none, or a password before it. */
export async function readPdf(body: Uint8Array): Promise<Extracted> {
  const { getDocumentProxy, getMeta } = await import("unpdf");
  const pdf = await getDocumentProxy(body, {
    verbosity: 0,
    isEvalSupported: false,
    useSystemFonts: false,
  }).catch(refuse);
  const text = await pagesOf(pdf).catch(refuse);
  const pages = text.map((page, index) => `[Page ${index + 1} of ${text.length}]\n\n${page.trim()}`);
  if (text.every((page) => page.trim() === "")) {
    throw new UnreadableError(`This PDF has no text on its ${count(text.length)}: it was probably scanned.`);
  }
  const { info } = await getMeta(pdf);
  const title: unknown = info["Title"];
  return {
    title: typeof title === "string" ? title.trim() : "",
    text: pages.join("\n\n"),
    remarks: [`A PDF of ${count(text.length)}.`],
  };
}

type Pdf = Awaited<ReturnType<(typeof import("unpdf"))["getDocumentProxy"]>>;

/** A mark of the structure has none of these. */
interface Piece {
  readonly str?: string;
  readonly hasEOL?: boolean;
}

/** One after the other: how many there are, and how long they are, is what the document says. */
async function pagesOf(pdf: Pdf): Promise<readonly string[]> {
  const pages: string[] = [];
  let bytes = 0;
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const text = (items as readonly Piece[])
      .map(({ str = "", hasEOL }) => (hasEOL ? `${str}\n` : str))
      .join("");
    page.cleanup();
    bytes += Buffer.byteLength(text);
    if (bytes > MAX_TEXT_BYTES) throw tooMuchText();
    pages.push(text);
  }
  return pages;
}

function count(pages: number): string {
  return pages === 1 ? "1 page" : `${pages} pages`;
}

function refuse(error: unknown): never {
  if (error instanceof UnreadableError) throw error;
  const isLocked = error instanceof Error && error.name === "PasswordException";
  throw new UnreadableError(
    isLocked ? "This PDF is locked with a password." : "This PDF is damaged and cannot be read.",
  );
}
