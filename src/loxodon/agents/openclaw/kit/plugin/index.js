// Loxodon in OpenClaw's memory slot. Everything is decided by the `loxodon` program, which gets one
// JSON object on its standard input and answers with one; this file only passes things on. Where the
// program fails or is late, OpenClaw goes on as if there were no memory.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = dirname(fileURLToPath(import.meta.url));
const COMMAND = JSON.parse(readFileSync(join(FOLDER, "command.json"), "utf8"));
const JOB = "loxodon:consolidation";
const MOST_OUTPUT = 8 * 1024 * 1024;
const DREAMS = "[managed-by=memory-core.";
const SECONDS = { prompt: 12, search: 30, get: 30, remember: 30, turn: 25, command: 30, chat: 5 };

/** Run the program with `words`, hand it `input`, and give back what it prints. */
function run(words, input, seconds) {
  return new Promise((resolve, reject) => {
    const [program, ...given] = COMMAND.command;
    const child = spawn(program, [...given, ...words], {
      cwd: FOLDER, // not the workspace, where any file may lie
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    const late = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`no answer within ${seconds} s`));
    }, seconds * 1000);
    let out = "";
    let complaint = "";
    child.stdout.setEncoding("utf8").on("data", (piece) => {
      out += piece;
      if (out.length > MOST_OUTPUT) child.kill("SIGKILL");
    });
    child.stderr.setEncoding("utf8").on("data", (piece) => {
      complaint = (complaint + piece).slice(-2000);
    });
    child.on("error", (error) => {
      clearTimeout(late);
      reject(error);
    });
    child.on("close", (code) => {
      clearTimeout(late);
      if (code === 0) resolve(out);
      else reject(new Error(complaint.trim() || `it ended with ${code}`));
    });
    child.stdin.on("error", () => {}); // it ended before it read all: `close` says why
    child.stdin.end(input);
  });
}

// Where the program hung or failed twice in a row, a message does not wait for it for a while.
const FAILURES = 2;
const REST_MS = 60_000;
let failures = 0;
let closedUntil = 0;

/** Ask for something; what a model gives comes first, so that it cannot say where it is asked. */
async function ask(want, where, more = {}) {
  if (Date.now() < closedUntil) throw new Error("it failed just now, and is asked again in a minute");
  const request = JSON.stringify({ ...more, ...where, want });
  try {
    const found = JSON.parse(await run(["openclaw", "answer", "--json"], request, SECONDS[want]));
    failures = 0;
    return found;
  } catch (error) {
    failures += 1;
    if (failures >= FAILURES) closedUntil = Date.now() + REST_MS;
    throw error;
  }
}

/** The words of a message, whatever shape its content has. */
function wordsOf(message) {
  const content = message?.content;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter((block) => block?.type === "text" && typeof block.text === "string")
    .map((block) => block.text)
    .join("\n");
}

/** Who may write on a channel, as its settings or those of one of its accounts say. */
function allowedOn(config, channel, account) {
  const all = config?.channels?.[channel];
  const own = all?.accounts?.[account];
  return own?.allowFrom ?? own?.dm?.allowFrom ?? all?.allowFrom ?? all?.dm?.allowFrom;
}

const texts = (list) => (Array.isArray(list) ? list.map(String) : []);

const TOOLS = {
  memory_search: {
    want: "search",
    label: "Memory search",
    description:
      "Search the long-term memory: facts, preferences, decisions, people, plans, notes and past " +
      "conversations. Use it before answering anything about the past, about the user, or about " +
      "work done together. Each result has an id or a path and line for memory_get. " +
      "corpus=sessions looks at past conversations only, corpus=memory leaves them out.",
    properties: {
      query: { type: "string", description: "any words, in any language" },
      maxResults: { type: "integer", minimum: 1 },
      minScore: { type: "number", description: "0 to 1, beside the best result" },
      corpus: { type: "string", enum: ["memory", "wiki", "all", "sessions"] },
    },
    required: ["query"],
  },
  memory_get: {
    want: "get",
    label: "Memory get",
    description:
      "Read one thing that memory_search found: by its id, or lines of a file of the workspace by " +
      "path, from (first line) and lines (how many).",
    properties: {
      path: { type: "string" },
      id: { type: "string", description: "such as f_20260204_001 or t_512" },
      from: { type: "integer", minimum: 1 },
      lines: { type: "integer", minimum: 1 },
      corpus: { type: "string", enum: ["memory", "wiki", "all"] },
    },
    required: [],
  },
  remember: {
    want: "remember",
    label: "Remember",
    description:
      "Keep one thing in the long-term memory, where the user asks for it or it would hurt to " +
      "lose. One statement in the third person that can be understood alone, such as `The user " +
      "is allergic to peanuts`. What is said is journalled anyway. Never a password or key.",
    properties: {
      text: { type: "string" },
      importance: { type: "number", minimum: 0, maximum: 1, description: "1: harm if forgotten" },
    },
    required: ["text"],
  },
};

const COMMANDS = {
  recall: "Search the long-term memory: /recall QUESTION",
  tag: "Tag a memory: /tag ID +a -b",
  refresh: "Make the profile anew and show it",
};

export default {
  id: "loxodon",
  name: "Loxodon",
  description: "Long-term memory on your own machine.",
  kind: "memory",
  register(api) {
    const where = (ctx) => {
      const config = api.runtime?.config?.current?.() ?? api.config;
      const channel = ctx?.messageChannel ?? ctx?.channel ?? ctx?.messageProvider ?? "";
      const account = ctx?.agentAccountId ?? ctx?.accountId;
      return {
        session: ctx?.sessionKey ?? "",
        agent: ctx?.agentId ?? "",
        channel,
        sender: ctx?.requesterSenderId ?? ctx?.senderId ?? "",
        owners: texts(config?.commands?.ownerAllowFrom),
        allowed: texts(allowedOn(config, channel, account)),
        state: COMMAND.state,
        main: config?.session?.mainKey ?? "",
        workspace: ctx?.workspaceDir ?? "",
      };
    };
    const warn = (what, error) => api.logger?.warn?.(`loxodon: ${what}: ${error?.message ?? error}`);

    for (const [name, tool] of Object.entries(TOOLS)) {
      const { want, properties, required, ...shown } = tool;
      const parameters = { type: "object", properties, required, additionalProperties: false };
      api.registerTool(
        (ctx) => ({
          name,
          ...shown,
          parameters,
          async execute(_call, given) {
            let found;
            try {
              found = await ask(want, where(ctx), given ?? {});
            } catch (error) {
              warn(name, error);
              found = { disabled: true, error: String(error?.message ?? error) };
            }
            return { content: [{ type: "text", text: JSON.stringify(found) }], details: {} };
          },
        }),
        { names: [name] },
      );
    }

    for (const [name, description] of Object.entries(COMMANDS)) {
      api.registerCommand?.({
        name,
        description,
        acceptsArgs: true,
        async handler(ctx) {
          try {
            return await ask("command", where(ctx), { name, args: ctx.args ?? "" });
          } catch (error) {
            warn(`/${name}`, error);
            return { text: String(error?.message ?? error) };
          }
        },
      });
    }

    api.on(
      "before_prompt_build",
      async (event, ctx) => {
        try {
          const found = await ask("prompt", where(ctx), {
            message: event.currentUserMessage ?? event.prompt ?? "",
            history: (event.messages ?? []).slice(-40).map(wordsOf),
          });
          return {
            ...(found.system ? { appendSystemContext: found.system } : {}),
            ...(found.context ? { prependContext: found.context } : {}),
          };
        } catch (error) {
          warn("nothing was recalled", error);
        }
      },
      { timeoutMs: 14_000 },
    );

    api.on("agent_end", async (_event, ctx) => {
      try {
        await ask("turn", where(ctx));
      } catch (error) {
        warn("the turn was not journalled; the next one takes it along", error);
      }
    });

    // The skill's scripts run in a shell of the agent's: this tells them who is listening.
    const chats = new Map();
    api.on("resolve_exec_env", async (event, ctx) => {
      const session = ctx?.sessionKey ?? event?.sessionKey ?? "";
      try {
        const asked = { ...where(ctx), session };
        const known = JSON.stringify(asked);
        if (!chats.has(known)) chats.set(known, (await ask("chat", asked)).chat);
        return { LOXODON_CHAT: chats.get(known) };
      } catch {
        return { LOXODON_CHAT: "group" };
      }
    });

    // The nightly run stands among OpenClaw's automations as long as this plugin runs, and no longer.
    // OpenClaw's own memory leaves its nightly job there when it is replaced, and puts it back when
    // it returns: without it, that job only wakes the agent's model.
    let automations;
    const isOurs = (job) => job.declarationKey === JOB || job.description?.includes(`[${JOB}]`);
    const withdraw = async (unwanted) => {
      const all = (await automations?.()?.list?.({ includeDisabled: true })) ?? [];
      for (const job of all.filter(unwanted)) await automations().remove(job.id);
    };
    const begin = async (ctx) => {
      try {
        automations = ctx?.getCron ?? automations; // up to 2026.7 services are not given it
        if (!automations?.()) return;
        await withdraw((job) => isOurs(job) || job.description?.includes(DREAMS));
        if (COMMAND.job) await automations().add(COMMAND.job);
      } catch (error) {
        warn("the nightly run was not scheduled", error);
      }
    };
    const end = async () => {
      try {
        await withdraw(isOurs);
      } catch (error) {
        warn("the nightly run is still scheduled", error);
      }
    };
    api.registerService?.({ id: "loxodon", start: begin, stop: end });
    api.on("gateway_start", (_event, ctx) => begin(ctx));
    api.on("gateway_stop", end);
  },
};
