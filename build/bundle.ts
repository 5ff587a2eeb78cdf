/**
 * Bundles `dist`: its ES modules together with the command line, and `dist/cjs`, the same as CommonJS for Jest, whose tests
 * `require` and whose loader can't `require` ES modules as Node can. Both are made from the sources.
 */

import { globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { faker } from "@faker-js/faker/locale/en_IN";
import { type OutputOptions, type Plugin, rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");

/** Packages that go in: small ones, those of which little is used, and those that Jest can't load. All others are imported. */
const bundled = ["@faker-js/faker", "csv-parse", "leven", "valibot"];
/** Packages that the inspector's page holds, which is bundled where it is used. */
const inPage = ["preact", "htm"];

/** Modules that read files or bundle the page. In the package each is the data that it exports here. */
const asData = ["inspector/assets", "play/scenario/json-schema"].map((name) =>
  join(root, "src", `${name}.ts`),
);

const data: Plugin = {
  name: "data",
  load: {
    filter: { id: asData },
    async handler(id) {
      const module: object = await import(pathToFileURL(id).href);
      const lines = Object.entries(module).map(async ([name, value]) => {
        const isFunction = typeof value === "function";
        const text = JSON.stringify(isFunction ? await value() : value);
        return `export const ${name} = ${isFunction ? `() => Promise.resolve(${text})` : text};`;
      });
      return { code: (await Promise.all(lines)).join("\n"), moduleType: "js" };
    },
  },
};

/** The scenarios in the order of their names, bundled from their sources: as JSON they would weigh four times as much. */
const scenarios: Plugin = {
  name: "scenarios",
  load: {
    filter: { id: join(root, "src/adapters/shipped-scenarios.ts") },
    handler() {
      const files = globSync("scenarios/**/*.ts", { cwd: root, exclude: ["**/words.ts"] });
      files.sort((one, other) => (basename(one, ".ts") < basename(other, ".ts") ? -1 : 1));
      const imports = files.map(
        (file, index) =>
          `import { scenario as s${index} } from ${JSON.stringify(join(root, file))};`,
      );
      const list = files.map((_, index) => `s${index}`);
      return `${imports.join("\n")}\nexport const shippedScenarios = [${list}];`;
    },
  },
};

const { person, company } = faker.rawDefinitions;

/** What people are drawn from: 9 kB of faker's lists for India, in place of three locales with 300 kB. */
const lists = {
  person: {
    first_name: person?.first_name,
    last_name: person?.last_name,
    last_name_pattern: person?.last_name_pattern,
  },
  company: { name_pattern: company?.name_pattern, legal_entity_type: company?.legal_entity_type },
};

const names: Plugin = {
  name: "names",
  load: {
    filter: { id: /[\\/]faker[\\/]dist[\\/]locale[\\/]en_IN\.js$/ },
    handler: () =>
      `import { Faker } from "../index.js";
       export const faker = new Faker({ locale: ${JSON.stringify(lists)} });`,
  },
};

/** Writes entries, and chunks that they share: so an `InputError` of one is an `InputError` of all. */
async function bundle(
  entries: readonly string[],
  output: OutputOptions & { readonly dir: string },
): Promise<void> {
  const build = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, join(root, "src", `${name}.ts`)])),
    platform: "node",
    plugins: [data, scenarios, names],
    external: new RegExp(`^(?!${bundled.join("|")}|[./])`),
  });
  await build.write({ comments: false, ...output });
  await build.close();
}

/** The entries of the package that have such a form in package.json. */
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, { default: string; require?: { default: string } }>>;
};
const forms = Object.values(exports).filter((form) => typeof form === "object");
const modules = forms.map((form) => form.default.slice("./dist/".length, -".js".length));
const commonJs = forms.flatMap(
  ({ require }) => require?.default.slice("./dist/cjs/".length, -".cjs".length) ?? [],
);

await bundle([...modules, "cli/main"], {
  dir: dist,
  chunkFileNames: "chunks/[name].js",
});
await bundle(commonJs, {
  dir: join(dist, "cjs"),
  format: "cjs",
  entryFileNames: "[name].cjs",
  chunkFileNames: "chunks/[name].cjs",
  // Jest knows no `import()` in CommonJS.
  dynamicImportInCjs: false,
});

/** What is copied comes with its licence. */
const licences = [...bundled, ...inPage].map((name) => {
  const folder = join(root, "node_modules", name);
  const file = readdirSync(folder).find((each) => /^LICENSE/i.test(each));
  if (file === undefined) throw new Error(`${name} has no licence.`);
  return `This package holds parts of the package ${name}:\n\n${readFileSync(join(folder, file), "utf8")}`;
});
writeFileSync(join(dist, "LICENSES.txt"), licences.join("\n"));
