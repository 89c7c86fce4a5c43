/** `text` in an old encoding; what that lacks becomes `?`. */
export function encode(text: string, label: string): Uint8Array {
  const codes = codesOf(label);
  const bytes: number[] = [];
  for (const character of text) bytes.push(...(codes.get(character) ?? [0x3f]));
  return Uint8Array.from(bytes);
}

/** Node decodes these encodings and encodes none of them: every code of one or two bytes is decoded once. */
function codesOf(label: string): ReadonlyMap<string, readonly number[]> {
  const codes = new Map<string, readonly number[]>();
  const decoder = new TextDecoder(label);
  const add = (...code: readonly number[]): void => {
    const character = decoder.decode(Uint8Array.from(code));
    if ([...character].length === 1 && character !== "\ufffd" && !codes.has(character))
      codes.set(character, code);
  };
  for (let byte = 0; byte < 0x100; byte++) add(byte);
  // What the web calls ISO-8859-1 has a dash there; not every Node knows.
  if (decoder.encoding === "windows-1252") codes.set("–", [0x96]);
  for (let lead = 0x80; lead < 0x100; lead++) for (let trail = 0x40; trail < 0x100; trail++) add(lead, trail);
  return codes;
}
