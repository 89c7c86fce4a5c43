// Certificates for loopback, good ones and bad ones, made by openssl when a test runs: fixtures would expire.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Identity {
  readonly key: string;
  readonly cert: string;
}

export interface Certificates {
  /** PEM of the authority that signed all but the last. */
  readonly authority: string;
  readonly good: Identity;
  readonly expired: Identity;
  readonly ofAnotherHost: Identity;
  readonly selfSigned: Identity;
}

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

export function createCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), "legion-certificates-"));
  const openssl = (...args: readonly string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const read = (name: string): Identity => ({
    key: readFileSync(join(folder, `${name}.key`), "utf8"),
    cert: readFileSync(join(folder, `${name}.crt`), "utf8"),
  });
  const itself = (name: string) => {
    openssl(
      "req",
      "-x509",
      ...KEY,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.crt`,
      "-days",
      "2",
      "-subj",
      "/CN=test",
    );
    return read(name);
  };
  const signed = (name: string, { names, days }: { readonly names: string; readonly days: number }) => {
    writeFileSync(join(folder, "names"), `subjectAltName=${names}\n`);
    openssl("req", "-new", ...KEY, "-keyout", `${name}.key`, "-out", "request", "-subj", "/CN=test");
    const by = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names"];
    openssl("x509", "-req", "-in", "request", "-out", `${name}.crt`, "-days", String(days), ...by);
    return read(name);
  };
  try {
    const names = "DNS:site.test,IP:127.0.0.1";
    return {
      authority: itself("ca").cert,
      good: signed("good", { names, days: 2 }),
      expired: signed("expired", { names, days: -1 }),
      ofAnotherHost: signed("other", { names: "DNS:other.test", days: 2 }),
      selfSigned: itself("self"),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
