import { createFileBackend } from "../../../src/storage/files/backend.ts";
import { describeBackend } from "../contract/backend-contract.ts";

describeBackend("files", (project) => Promise.resolve(createFileBackend(project)));
