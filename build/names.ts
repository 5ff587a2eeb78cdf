/**
 * Bundles `src/world/publishers/people.ts` for the package: faker's generator with only the lists that it draws from here, 9 kB
 * of them. A browser then loads a tenth of faker, and CommonJS can load it: faker itself is ES modules only.
 */

import { join } from "node:path";
import { faker } from "@faker-js/faker/locale/en_IN";
import { type Plugin, rolldown } from "rolldown";

const { person, company } = faker.rawDefinitions;

/** What people are drawn from. A test compares them with the people that all of faker draws. */
const lists = {
  person: {
    first_name: person?.first_name,
    last_name: person?.last_name,
    last_name_pattern: person?.last_name_pattern,
  },
  company: { name_pattern: company?.name_pattern, legal_entity_type: company?.legal_entity_type },
};

/** Those of faker's modules that draw from these lists. It has twenty more, such as `airline`. */
const modules = ["company", "helpers", "number", "person"];

/** Faker for India, with these lists in place of three locales. */
const locale: Plugin = {
  name: "locale",
  load: {
    filter: { id: /[\\/]faker[\\/]dist[\\/]locale[\\/]en_IN\.js$/ },
    handler: () =>
      `import { Faker } from "../index.js";\nexport const faker = new Faker({ locale: ${JSON.stringify(lists)} });`,
  },
};

/**
 * Faker creates all its modules, and a bundler can't tell that splitting a text has no effect of its own. So every bundle would
 * hold all modules, and the bank codes, time zones and emoji that they draw from.
 */
const unusedModules: Plugin = {
  name: "unused-modules",
  transform: {
    filter: { id: /[\\/]faker[\\/]dist[\\/]base-/ },
    handler: (code) =>
      code
        .replaceAll(/(\w+)=new [\w$]+\(this\);?/g, (creation, name) =>
          modules.includes(name) ? creation : "",
        )
        .replaceAll(/`(?:[^`\\]|\\.)*`\.split\(/g, "/* @__PURE__ */ $&"),
  },
};

/** The module's text. It imports seedrandom, as other modules do. */
export async function bundleNames(): Promise<string> {
  const build = await rolldown({
    input: join(import.meta.dirname, "../src/world/publishers/people.ts"),
    platform: "neutral",
    external: /^seedrandom\//,
    plugins: [locale, unusedModules],
  });
  const { output } = await build.generate({ comments: false });
  await build.close();
  return output[0].code;
}
