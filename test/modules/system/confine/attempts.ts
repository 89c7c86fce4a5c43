/** Every action that takes a path, with `path` in each place. */
export function attempts(path: string): [action: string, parameters: object][] {
  return [
    ["readFile", { path }],
    ["writeFile", { path, content: "harm" }],
    ["editFile", { path, oldText: "secret", newText: "harm" }],
    ["moveFile", { sourcePath: path, destinationPath: "stolen" }],
    ["moveFile", { sourcePath: "bait", destinationPath: path }],
    ["deleteFile", { path }],
    ["createDirectory", { path }],
    ["listDirectory", { path }],
    ["outline", { path }],
    ["findFiles", { pattern: "*", path }],
    ["searchText", { pattern: "secret", path }],
  ];
}

/** Those of them that change something. */
export function changes(path: string): [action: string, parameters: object][] {
  const reads = ["readFile", "listDirectory", "outline", "findFiles", "searchText"];
  return attempts(path).filter(([action]) => !reads.includes(action));
}
