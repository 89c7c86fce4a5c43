import type { Extracted, Framed } from "../document.ts";
import { decodeText } from "./decode.ts";
import { readFeed } from "./feed.ts";
import { readHtml } from "./html/page.ts";
import { layOutJson } from "./json.ts";
import { kindOf } from "./kind.ts";
import { readPdf } from "./pdf.ts";
import { tidy, visible } from "./tidy.ts";
import { MAX_TEXT_BYTES, tooMuchText } from "./unreadable.ts";

export interface ReadRequest {
  readonly url: string;
  /** The page after its scripts ran, or what was fetched. */
  readonly content: Pick<Framed, "html" | "frames"> | FetchedBody;
}

interface FetchedBody {
  /** As the server declared it. */
  readonly type: string | undefined;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** What a reader gets of a document. Throws an UnreadableError if that is nothing. */
export async function read({ url, content }: ReadRequest): Promise<Extracted> {
  const { title, text, remarks } = await readKind(url, content);
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) throw tooMuchText();
  return { title: tidy(title).replace(/\s+/g, " "), text, remarks };
}

async function readKind(url: string, content: ReadRequest["content"]): Promise<Extracted> {
  if ("html" in content) return tidied(readHtml({ url, ...content, scripts: "ran" }));
  const kind = kindOf(content.type, content.body);
  if (kind === "pdf") return tidied(await readPdf(content.body));
  const text = decodeText(content.body, content.type);
  switch (kind) {
    case "html":
      return tidied(readHtml({ url, html: text, frames: [], scripts: "not run" }));
    case "json":
      return plain(layOutJson(visible(text)));
    case "xml": {
      const feed = readFeed(text, url);
      return feed ? tidied(feed) : plain(text);
    }
    case "markdown":
      return { ...plain(text), title: /^# +(\S.*)$/m.exec(text)?.[1] ?? "" };
    case "text":
      return plain(text);
  }
}

function tidied(extracted: Extracted): Extracted {
  return { ...extracted, text: tidy(extracted.text) };
}

function plain(text: string): Extracted {
  return { title: "", text: visible(text).replace(/^\n+/, "").trimEnd(), remarks: [] };
}
