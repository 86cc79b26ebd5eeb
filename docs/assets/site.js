/* Search by pasted error lines, the paste box of the home page, and filters above tables. No network. */
(() => {
  "use strict";

  // Words of an error line that are worth searching for. Signs such as ":" and "-" are operators of the search
  // engine, and a path, an address or a time stamp belongs to one machine only.
  const NOISE = /\b(?:traceback|most recent call last|file|line|in|module|raise|return|the|a|an|of|to|for|and|or|is|was|with|at|on|be|by|from|it|this|that|not|rank\d*)\b/gi;
  // Printed after almost every GPU error, whatever its cause.
  const TRAILER = /TORCH_USE_HIP_DSA|TORCH_USE_CUDA_DSA|For debugging consider passing|asynchronously reported|^\s*$/;
  const words = (text) =>
    text
      .replace(/\u001b\[[0-9;]*m/g, " ")
      .replace(/^\s*at\s.*$/gm, " ")
      .replace(/^.*\bFile "[^"]*", line \d+.*$/gm, " ")
      .replace(/(?:[A-Za-z]:)?(?:[\\/][\w.@+-]+){2,}/g, " ")
      .replace(/0x[0-9a-f]{6,}/gi, " ")
      .replace(/\d{2,4}[-:]\d{2}[-:]\d{2}\S*/g, " ")
      .replace(/[^\w.]+/g, " ")
      .replace(/\.(?=\s|$)/g, " ")
      .replace(NOISE, " ")
      .split(/\s+/)
      .filter((word) => word.length > 1 && !/^\d+$/.test(word));

  const query = (text) => {
    const lines = text.split(/\r?\n/).filter((line) => line.trim() && !TRAILER.test(line));
    // The last line of a traceback names the error; lines that say "error" help.
    const telling = lines.filter((line) => /error|fail|invalid|abort|fault|unsupported|not supported|cannot|could not|warning/i.test(line));
    const chosen = lines.length > 3 ? [...telling.slice(-3), lines[lines.length - 1]] : lines;
    const seen = new Set();
    const found = [];
    for (const word of words(chosen.join("\n"))) {
      if (!seen.has(word.toLowerCase())) {
        seen.add(word.toLowerCase());
        found.push(word);
      }
    }
    return found.slice(0, 24).join(" ");
  };

  // What the search engine reads from the field is the cleaned text; what the user sees stays as typed.
  const field = document.querySelector(".md-search__input");
  if (field) {
    const native = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
    Object.defineProperty(field, "value", {
      configurable: true,
      get() {
        const raw = native.get.call(this);
        return raw.length > 24 || /[:+~^*"'\-]/.test(raw) ? query(raw) || raw : raw;
      },
      set(value) {
        native.set.call(this, value);
      },
    });
    // A line break would be lost by the one-line field without a trace of where the lines were.
    field.addEventListener("paste", (event) => {
      const text = event.clipboardData?.getData("text") ?? "";
      if (!text.includes("\n")) return;
      event.preventDefault();
      native.set.call(field, query(text));
      field.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }

  const search = (text) => {
    const toggle = document.querySelector("[data-md-toggle=search]");
    if (!field || !toggle) return;
    if (!toggle.checked) toggle.click();
    field.focus();
    field.value = query(text);
    field.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };

  // --- The paste box: the signatures of the knowledge base, matched line by line. The command line does more.

  const AMD = /\bHIP\b|\bhip[A-Z_]|rocm|roc(?:BLAS|m|r)\b|gfx\d|RCCL|MIOpen|\bHSA|amdgpu|amd-smi|Instinct|\bMI\d{2,3}[XAP]?\b|Radeon|\bRX \d{4}|Ryzen AI/i;
  const NVIDIA = /\bNVIDIA\b|GeForce|\bRTX \d{4}|\b[AH]100\b|\bH200\b|\bB200\b/;
  const compiled = new Map();
  const pattern = (source) => {
    if (!compiled.has(source)) compiled.set(source, new RegExp(source));
    return compiled.get(source);
  };
  const context = (mark, text) => {
    const regex = /^\/(.*)\/$/s.exec(mark);
    return regex ? pattern(regex[1]).test(text) : text.includes(mark);
  };

  const explain = (text, entries) => {
    const clean = text.replace(/\u001b\[[0-9;]*m/g, "");
    const lines = clean.split(/\r?\n/);
    const amd = AMD.test(clean);
    if (!amd && NVIDIA.test(clean)) return [];
    const targets = new Set(clean.match(/gfx[0-9]{3,4}[a-f]?/g) ?? []);
    const found = [];
    for (const [code, title, url, gfx, signatures] of entries) {
      if (gfx.length && targets.size && !gfx.some((g) => targets.has(g))) continue;
      let best = 0;
      let extra = 0;
      let evidence = "";
      for (const [mark, isRegex, role, needsAmd, beside, absent] of signatures) {
        const line = lines.find((l) => (isRegex ? pattern(mark).test(l) : l.includes(mark)));
        if (line === undefined || (beside.length && !beside.some((b) => context(b, clean))) || absent.some((a) => context(a, clean))) continue;
        extra += 0.03;
        if (role === 2) continue;
        let score = [0.9, 0.6][role] + Math.min(mark.length, 80) / 500;
        if (beside.length) score += 0.12;
        if (gfx.length && targets.size) score += 0.12;
        if (needsAmd && !amd) score *= 0.6;
        if (score > best) [best, evidence] = [score, line.trim()];
      }
      if (best) found.push({ code, title, url, evidence, score: best + extra });
    }
    return found.sort((a, b) => b.score - a.score || a.code.localeCompare(b.code)).slice(0, 5);
  };

  document.querySelectorAll(".paste").forEach((form) => {
    const script = document.querySelector('script[src*="assets/site.js"]');
    const root = new URL("..", script.src);
    const list = document.createElement("ol");
    list.className = "answers";
    list.setAttribute("aria-live", "polite");
    const note = document.createElement("p");
    note.className = "answers-note";
    form.after(note, list);
    let entries;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const text = form.querySelector("textarea").value;
      if (!text.trim()) return;
      entries ??= await (await fetch(new URL("assets/signatures.json", root))).json();
      const found = explain(text, entries);
      list.replaceChildren();
      note.textContent = "";
      if (found.length && !AMD.test(text)) note.textContent = "Nothing in the text says that it comes from an AMD GPU. If it does:";
      if (!found.length) note.textContent = "None of the known lines is in it. The text search found these pages:";
      for (const { code, title, url, evidence } of found) {
        const item = document.createElement("li");
        const link = document.createElement("a");
        link.href = new URL(url, root);
        link.textContent = `${code} ${title}`;
        const line = document.createElement("code");
        line.textContent = evidence.length > 160 ? `${evidence.slice(0, 160)} …` : evidence;
        item.append(link, line);
        list.append(item);
      }
      if (!found.length) search(text);
    });
  });

  // A browser that asks for Chinese finds the Chinese prose open.
  if (/^zh\b/i.test(navigator.language)) {
    for (const block of document.querySelectorAll("details.chinese")) block.open = true;
  }

  document.querySelectorAll(".filtered").forEach((box) => {
    const input = box.querySelector(".filter");
    const rows = [...box.querySelectorAll("tbody tr")].map((row) => [row, row.textContent.toLowerCase()]);
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const [row, text] of rows) row.hidden = !wanted.every((word) => text.includes(word));
    });
  });
})();
