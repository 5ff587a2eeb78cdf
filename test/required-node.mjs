// Runs before `npm test`: the tests run the TypeScript sources, which an older Node can't do by itself. Must parse on any
// Node that npm itself runs on.

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `The tests need Node 22.18 or newer, and this is ${process.version}.\n` +
      "npm ci puts a newer one into node_modules, unless install scripts are switched off (--ignore-scripts).",
  );
  process.exit(3);
}
