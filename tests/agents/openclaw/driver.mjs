// Registers the plugin with a stand-in for OpenClaw and plays the steps that a test hands in.

// The plugin gives up on a program that takes long; how long that is, is the machine's affair.
const timer = globalThis.setTimeout;
globalThis.setTimeout = (done, ms, ...more) => timer(done, 100 * ms, ...more);
const plugin = (await import(process.argv[2])).default;
const hooks = {}, tools = {}, commands = {}, services = [], warnings = [];
let jobs = [
  { id: "theirs", name: "Loxodon fan club" },
  { id: "dreams", description: "[managed-by=memory-core.short-term-promotion] Promote" },
];
const cron = {
  list: async () => jobs,
  add: async (job) => { jobs.push({ id: `job${jobs.length}`, ...job }); },
  remove: async (id) => { jobs = jobs.filter((job) => job.id !== id); },
};
plugin.register({
  config: {},
  runtime: { config: { current: () => ({
    commands: { ownerAllowFrom: ["telegram:42"] },
    channels: { slack: { accounts: { acc: { allowFrom: ["U1"] } } }, irc: { allowFrom: [7, 8] } },
  }) } },
  logger: { warn: (text) => warnings.push(text) },
  registerService: (one) => { services.push(one); },
  registerCommand: (one) => { commands[one.name] = one; },
  registerTool: (make, { names }) => { tools[names[0]] = make; },
  on: (name, handler) => { hooks[name] = handler; },
});
const steps = JSON.parse(process.argv[3]);
const results = [];
for (const [kind, name, event, ctx] of steps) {
  if (kind === "tool") {
    const made = tools[name](ctx);
    results.push(JSON.parse((await made.execute("call", event)).content[0].text));
  } else if (kind === "command") {
    results.push(await commands[name].handler({ ...ctx, args: event.args }));
  } else if (kind === "service") {
    results.push((await services[0][name](ctx.cron ? { getCron: () => cron } : {})) ?? null);
  } else {
    const found = await hooks[name](event, { ...ctx, getCron: () => cron });
    results.push(found ?? null);
  }
}
console.log(JSON.stringify({ results, warnings, jobs, tools: Object.keys(tools) }));
