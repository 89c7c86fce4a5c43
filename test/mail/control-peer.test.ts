import { createFileBackend } from "../../src/storage/files/backend.ts";
import { createMemoryBackend } from "../../src/storage/memory/backend.ts";
import { createTempProject } from "../temp-project.ts";
import { controlIn } from "./control-peer.ts";
import { describePeer } from "./peer-contract.ts";

describePeer("Control in files", async () => controlIn(createFileBackend(await createTempProject())));
describePeer("Control in the memory of a process", () => controlIn(createMemoryBackend()));
