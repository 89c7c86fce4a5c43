/** Where a project names its servers; the first that names one counts. */
export const SERVER_FILES = [".ai-legion/mcp.json", ".mcp.json"];
