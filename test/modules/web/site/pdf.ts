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
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ...pages.flatMap((lines, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${first + index * 2 + 1} 0 R ` +
        "/Resources << /Font << /F1 3 0 R >> >> >>",
      stream(
        `BT /F1 11 Tf ${LINE_HEIGHT} TL 72 770 Td\n${lines.map((line) => `${literal(line)} Tj T*`).join("\n")}\nET`,
      ),
    ]),
    `<< /Title ${literal(title)} >>`,
  ];
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

function stream(content: string): string {
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

function literal(text: string): string {
  return `(${text.replace(/[\\()]/g, "\\$&")})`;
}
