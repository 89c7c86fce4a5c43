// Real certificates, made by openssl when a test runs: fixtures would expire.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Certificates {
  /** Certificate of the authority. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** Writes an authority of its own and a certificate that it signed for 127.0.0.1 and localhost. */
export function createCertificates(folder: string): Certificates {
  const file = (name: string) => join(folder, name);
  const openssl = (...args: readonly string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  writeFileSync(file("names.txt"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
  openssl(
    "req",
    "-x509",
    ...newKey,
    "-keyout",
    "ca.key",
    "-out",
    "ca.crt",
    "-days",
    "2",
    "-subj",
    "/CN=authority of a test",
  );
  openssl(
    "req",
    "-new",
    ...newKey,
    "-keyout",
    "server.key",
    "-out",
    "server.csr",
    "-subj",
    "/CN=redis of a test",
  );
  const signed = [
    "-CA",
    "ca.crt",
    "-CAkey",
    "ca.key",
    "-CAcreateserial",
    "-days",
    "2",
    "-extfile",
    "names.txt",
  ];
  openssl("x509", "-req", "-in", "server.csr", "-out", "server.crt", ...signed);
  return { authority: file("ca.crt"), certificate: file("server.crt"), key: file("server.key") };
}
