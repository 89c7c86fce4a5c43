/** What the commands of a call changed in the files of its workspace, as git tells: of what that ignores nothing is said. */
export interface ChangedByCommands {
  /** The first of them. */
  readonly files: readonly FileDeed[];
  /** How many more there are; absent: none. */
  readonly more?: number;
  /** Other commands ran meanwhile: whose change is whose nobody knows. */
  readonly isShared?: true;
  /** Why it is not known what else they changed, in a few words; absent: nothing else. */
  readonly unknown?: string;
}

export interface FileDeed {
  /** Relative to the workspace. */
  readonly path: string;
  readonly does: "created" | "changed" | "moved" | "deleted";
  /** Of one that was moved: where the same bytes stood before, relative to the workspace. */
  readonly from?: string;
}
