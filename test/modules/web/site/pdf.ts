import { deflateSync } from "node:zlib";

export interface Report {
  readonly title: string;
  /** The lines of each page, top to bottom. */
  readonly pages: readonly (readonly string[])[];
}

const LINE_HEIGHT = 16;

/** The smallest PDF that shows these lines: one font, no compression. */
export function writePdf({ title, pages }: Report): Uint8Array {
  const first = 4;
  const kids = pages.map((_, index) => `${first + index * 2} 0 R`).join(" ");
  return assemble([
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    FONT,
    ...pages.flatMap((lines, index) => [
      page(`${first + index * 2 + 1} 0 R`),
      stream(
        `BT /F1 11 Tf ${LINE_HEIGHT} TL 72 770 Td\n${lines.map((line) => `${literal(line)} Tj T*`).join("\n")}\nET`,
      ),
    ]),
    `<< /Title ${literal(title)} >>`,
  ]);
}

/** One page that shows `line` so many times: one packed stream of a million, again and again. */
export function writePackedPdf(line: string, millions: number): Uint8Array {
  const words = deflateSync(`BT /F1 11 Tf ${literal(line)} Tj ET\n`.repeat(1_000_000)).toString("latin1");
  return assemble([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    FONT,
    page(`[${"5 0 R ".repeat(millions)}]`),
    stream(words, "/Filter /FlateDecode"),
    "<< >>",
  ]);
}

const FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";

function page(contents: string): string {
  return (
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${contents} ` +
    "/Resources << /Font << /F1 3 0 R >> >> >>"
  );
}

/** The first object is the catalog, the last one says what the document is called. */
function assemble(objects: readonly string[]): Uint8Array {
  let body = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R /Info ${objects.length} 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(`${body}xref\n0 ${size}\n0000000000 65535 f \n${offsets.join("")}${trailer}`, "latin1");
}

function stream(content: string, filter = ""): string {
  return `<< /Length ${content.length} ${filter} >>\nstream\n${content}\nendstream`;
}

function literal(text: string): string {
  return `(${text.replace(/[\\()]/g, "\\$&")})`;
}
