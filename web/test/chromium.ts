// The path of a browser. Run as a program, it installs Debian's package if there is none.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

export const chromium = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync) ?? "/usr/bin/chromium";

if (process.argv[1] === import.meta.filename && !existsSync(chromium)) {
  spawnSync("apt-get", ["install", "-y", "chromium"], { stdio: "ignore" });
  if (!existsSync(chromium)) {
    console.error("the page's tests need a browser: run `apt-get install -y chromium` as root, or set CHROMIUM to one");
    process.exit(1);
  }
}
