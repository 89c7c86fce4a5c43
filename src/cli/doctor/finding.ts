/** One thing that `legion doctor` looked at. */
export interface DoctorFinding {
  readonly check: string;
  /**
   * - `missing`: not there, which is no fault.
   * - `warning`: works, and somebody should know what it may cost.
   * - `wrong`: somebody should change it, and nothing is lost.
   * - `damaged`: state on the disk is not what was written.
   */
  readonly status: "ok" | "missing" | "warning" | "wrong" | "damaged";
  /** Untrusted: it may quote files. */
  readonly detail: string;
}

export function finding(check: string, status: DoctorFinding["status"], detail: string): DoctorFinding {
  return { check, status, detail };
}
