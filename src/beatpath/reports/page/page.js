"use strict";
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const read = (id) => JSON.parse(one(`#${id}`).textContent);
  const make = (tag, text, parent) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  };
  const percent = (share) => `${(100 * share).toFixed(0)}\u00a0%`;
  document.documentElement.classList.add("js");
  const lazily = (find) => {
    let found;
    return () => (found ??= find());
  };

  // ---- contents: beside a wide page they stay open; above a narrow one they open when asked, and close when followed
  const contents = one(".contents details");
  const wide = matchMedia("(min-width: 75rem)");
  const fit = () => (contents.open = wide.matches);
  fit();
  wide.addEventListener("change", fit);
  contents.addEventListener("click", ({ target }) => target.closest("a") && fit());
  contents.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || wide.matches) return;
    contents.open = false;
    one("summary", contents).focus();
  });
  const links = new Map(all("a", contents).map((link) => [one(link.hash), link]));
  const inSight = new Set();
  const spy = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) isIntersecting ? inSight.add(target) : inSight.delete(target);
      const first = [...links.keys()].find((section) => inSight.has(section));
      links.forEach((link, section) => {
        if (section === first) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      });
    },
    { rootMargin: "-10% 0px -60% 0px" },
  );
  links.forEach((_, section) => spy.observe(section));

  // ---- the board: its first rows, all on demand; sorting by any column, keeping agents whose name holds a text
  const unfold = (table) => {
    table.classList.remove("short");
    table.parentElement.nextElementSibling?.querySelector(".more")?.parentElement.remove();
  };
  for (const more of all("button.more")) more.addEventListener("click", () => unfold(one("table", more.parentElement.previousElementSibling)));
  for (const table of all("table.board")) {
    const body = one("tbody", table);
    const rows = [...body.rows];
    const key = (row, column) => {
      const value = row.cells[column].dataset.v ?? "";
      return value === "" ? null : Number.isNaN(Number(value)) ? value : Number(value);
    };
    const compare = (x, y) => (typeof x === "string" || typeof y === "string" ? `${x}`.localeCompare(`${y}`) : x - y);
    all("thead th", table).forEach((head, column) => {
      const button = one("button", head);
      if (!button) return;
      button.addEventListener("click", () => {
        unfold(table);
        const first = head.dataset.first ?? "ascending";
        const other = first === "ascending" ? "descending" : "ascending";
        const way = head.getAttribute("aria-sort") === first ? other : first;
        all("thead th", table).forEach((th) => th.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", way);
        const turn = way === "ascending" ? 1 : -1;
        const place = new Map(rows.map((row, i) => [row, i]));
        body.append(
          ...[...rows].sort((p, q) => {
            const [x, y] = [key(p, column), key(q, column)];
            if (x === null || y === null) return (x === null) - (y === null) || place.get(p) - place.get(q);
            return turn * compare(x, y) || place.get(p) - place.get(q);
          }),
        );
        table.classList.toggle("shuffled", !(head.dataset.home !== undefined && way === first));
      });
    });
  }
  const filter = one("#filter");
  if (filter) {
    const rows = [...one("#board table.board tbody").rows];
    const keep = () => {
      const wanted = filter.value.trim().toLowerCase();
      unfold(one("#board table.board"));
      let n = 0;
      for (const row of rows) {
        row.hidden = !one("th.name", row).dataset.v.toLowerCase().includes(wanted);
        n += !row.hidden;
      }
      one("#kept").textContent = wanted ? `${n} of ${rows.length} agents` : "";
    };
    filter.addEventListener("input", keep);
    filter.addEventListener("search", keep);
  }

  // ---- pictures: what a mark says stands beside the pointer, or where it was tapped; marks that belong together grow strong
  const night = matchMedia("(prefers-color-scheme: dark)");
  const beside = read("beside");
  const tip = make("div", undefined, document.body);
  tip.id = "tip";
  tip.hidden = true;
  const saying = (mark) => {
    const title = one(":scope > title", mark);
    if (title) {
      mark.dataset.said = title.textContent; // the browser would show it too, later
      title.remove();
    }
    return mark.dataset.said;
  };
  const put = ({ clientX, clientY }) => {
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(clientX + 12, innerWidth - width - 4))}px`;
    tip.style.top = `${clientY + height + 16 < innerHeight ? clientY + 12 : Math.max(4, clientY - height - 8)}px`;
  };
  const strong = (drawn, key, is) =>
    key !== undefined && all(`path[data-over="${key}"]`, drawn).forEach((line) => line.classList.toggle("strong", is));
  for (const drawn of all("figure[data-picture] svg")) {
    drawn.addEventListener("pointerover", (event) => {
      const said = saying(event.target);
      tip.hidden = !said;
      if (!said) return;
      tip.textContent = said;
      put(event);
      strong(drawn, event.target.dataset.over, true);
    });
    drawn.addEventListener("pointermove", (event) => tip.hidden || put(event));
    drawn.addEventListener("pointerout", ({ target, pointerType }) => {
      tip.hidden = pointerType !== "touch"; // a finger that was lifted leaves it to be read
      strong(drawn, target.dataset.over, false);
    });
  }
  addEventListener("pointerdown", () => (tip.hidden = true));
  addEventListener("scroll", () => (tip.hidden = true), { capture: true, passive: true });

  // ---- pictures that are wider than their frame say so; each can be saved as an image
  const measure = () => all(".frame").forEach((frame) => frame.classList.toggle("scrolls", frame.scrollWidth > frame.clientWidth + 1));
  addEventListener("resize", measure);
  all("details").forEach((part) => part.addEventListener("toggle", measure));
  measure();
  const asImage = (figure) => {
    const drawn = one("svg.marks", figure).cloneNode(true);
    const [width, height] = ["width", "height"].map((side) => Number(drawn.getAttribute(side)));
    const colors = [...new Set(drawn.outerHTML.match(/--[a-z0-9-]+/g) ?? [])];
    const now = getComputedStyle(document.documentElement);
    drawn.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    drawn.style.cssText = colors.map((name) => `${name}:${now.getPropertyValue(name)}`).join(";") + ";font-family:system-ui,sans-serif";
    const image = new Image();
    image.onload = () => {
      const canvas = make("canvas");
      [canvas.width, canvas.height] = [2 * width, 2 * height];
      canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
      canvas.toBlob((blob) => saveBlob(`${figure.dataset.picture}.png`, blob), "image/png");
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(drawn))}`;
  };
  for (const figure of all("figure[data-picture]")) {
    const save = make("button", "Save as PNG", one("figcaption", figure));
    save.type = "button";
    save.className = "save";
    save.setAttribute("aria-label", `Save as PNG: ${one(".finding", figure).textContent}`);
    save.addEventListener("click", () => asImage(figure));
  }

  // ---- one agent: its rank, why it is in the core or not, and everyone it met
  const report = lazily(() => read("report")); // megabytes, where agents are many: read when first asked for
  const shown = beside.shown;
  const witnesses = lazily(() => new Map(Object.entries(report().witnesses))); // an agent may be called `constructor`
  const rivals = lazily(() => {
    const found = report().board.map(() => []);
    const { a, b, rate, battles, low, high, resolved } = report().pairs;
    a.forEach((i, k) => {
      const j = b[k];
      const ends = low ? [low[k], high[k]] : [null, null];
      const sure = resolved ? resolved[k] : null;
      found[i].push({ rival: j, rate: rate[k], battles: battles ? battles[k] : null, low: ends[0], high: ends[1], sure });
      const turned = ends[0] === null ? ends : [1 - ends[1], 1 - ends[0]];
      found[j].push({ rival: i, rate: 1 - rate[k], battles: battles ? battles[k] : null, low: turned[0], high: turned[1], sure });
    });
    return found;
  });
  const dialog = one("#agent");
  const open = (i) => {
    const row = report().board[i];
    one("h2", dialog).textContent = shown[i];
    const body = one(".body", dialog);
    body.replaceChildren();
    if (row.best !== null) {
      const ranks = row.best === row.worst ? `${row.best}` : `${row.best} to ${row.worst}`;
      make("p", `Possible ranks: ${ranks} of ${shown.length}.`, body);
    }
    const places = Object.entries(row.ranks).map(([method, rank]) => `${method.replaceAll("_", " ")} ${rank}`);
    if (places.length) make("p", `Rank by method: ${places.join(", ")}.`, body);
    (witnesses().get(row.agent) ?? []).forEach((sentence) => make("p", sentence, body));
    const table = make("table", undefined, body);
    const head = make("tr", undefined, make("thead", undefined, table));
    ["rival", "won", "interval", "battles", ""].forEach((name, k) => {
      make("th", name, head).className = k ? "" : "name";
    });
    const rows = make("tbody", undefined, table);
    for (const one of rivals()[i].sort((p, q) => p.rival - q.rival)) {
      const line = make("tr", undefined, rows);
      make("td", shown[one.rival], line).className = "name";
      make("td", percent(one.rate), line);
      make("td", one.low === null ? "" : `${(100 * one.low).toFixed(0)} to ${percent(one.high)}`, line);
      make("td", one.battles === null ? "" : one.battles.toLocaleString("en"), line);
      const said = one.rate > 0.5 ? "ahead" : "behind";
      make("td", one.sure === null ? "" : one.sure ? `certainly ${said}` : "not resolved", line).className = "name";
    }
    dialog.showModal();
  };
  one("#board table.board").addEventListener("click", ({ target }) => {
    const button = target.closest("button[data-agent]");
    if (button) open(Number(button.dataset.agent));
  });
  one(".close", dialog).addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

  // ---- everyone against everyone, on demand, a few pixels a pair
  const everyone = one("#everyone");
  if (everyone) {
    everyone.addEventListener("toggle", () => {
      if (!everyone.open || one("canvas", everyone).width !== 300) return;
      const canvas = one("canvas", everyone);
      const n = shown.length;
      const step = Math.max(4, Math.min(12, Math.floor(1000 / n)));
      canvas.width = canvas.height = n * step;
      const pen = canvas.getContext("2d");
      const diverging = beside.diverging[night.matches ? "dark" : "light"];
      const cells = rivals().map((list) => new Map(list.map((one) => [one.rival, one])));
      cells.forEach((line, i) =>
        line.forEach(({ rate, sure }, j) => {
          pen.globalAlpha = sure === false ? 0.35 : 1;
          pen.fillStyle = blend(diverging, rate);
          pen.fillRect(j * step, i * step, step - (step > 5), step - (step > 5));
        }),
      );
      const said = one("output", everyone);
      canvas.addEventListener("pointermove", (event) => {
        const box = canvas.getBoundingClientRect();
        const [j, i] = [event.clientX - box.left, event.clientY - box.top].map((x) => Math.floor((x * n) / box.width));
        const cell = cells[i]?.get(j);
        const of = cell && cell.battles !== null ? ` of ${cell.battles.toLocaleString("en")}` : "";
        if (i < n && j < n && i >= 0 && j >= 0) {
          said.textContent = cell
            ? `${shown[i]} against ${shown[j]}: won ${percent(cell.rate)}${of}${cell.sure === false ? ", not resolved" : ""}`
            : `${shown[i]} and ${shown[j]} were not compared`;
        }
      });
    });
  }
  function blend(stops, share) {
    const at = Math.min(share * (stops.length - 1), stops.length - 1 - 1e-9);
    const k = Math.floor(at);
    const parts = [1, 3, 5].map((p) => [stops[k], stops[k + 1]].map((stop) => parseInt(stop.slice(p, p + 2), 16)));
    return `rgb(${parts.map(([x, y]) => Math.round(x + (at - k) * (y - x))).join(" ")})`;
  }

  // ---- contexts as tabs; without scripts they stand below each other
  const contexts = one(".contexts");
  if (contexts) {
    const list = make("div");
    list.setAttribute("role", "tablist");
    list.setAttribute("aria-label", contexts.dataset.label);
    contexts.prepend(list);
    const panels = all(".context", contexts);
    const choose = (chosen, focus) =>
      panels.forEach((panel, i) => {
        const tab = list.children[i];
        tab.setAttribute("aria-selected", i === chosen);
        tab.tabIndex = i === chosen ? 0 : -1;
        panel.hidden = i !== chosen;
        if (focus && i === chosen) tab.focus();
      });
    panels.forEach((panel, i) => {
      const tab = make("button", one("h3", panel).textContent, list);
      tab.type = "button";
      tab.id = `tab-${i}`;
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", panel.id);
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", tab.id);
      tab.addEventListener("click", () => choose(i));
      tab.addEventListener("keydown", ({ key }) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
        if (step) choose((i + step + panels.length) % panels.length, true);
      });
    });
    choose(0);
  }

  // ---- copies: verdict and board as Markdown; where a page may not write to the clipboard, by way of a selection
  const bySelection = (text) => {
    const field = make("textarea", text, document.body);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  };
  for (const button of all("button[data-copy]")) {
    button.addEventListener("click", async () => {
      const text = beside.copies[button.dataset.copy];
      const done = await navigator.clipboard?.writeText(text).then(() => true, () => bySelection(text)) ?? bySelection(text);
      button.focus();
      const said = button.nextElementSibling;
      said.textContent = done ? "Copied." : "The browser does not allow it.";
      setTimeout(() => (said.textContent = ""), 4000);
    });
  }

  // ---- downloads: made from the data in this file; a text that a spreadsheet would take for a formula gets an apostrophe
  const inert = (value) => (typeof value === "string" && /^[=+\-@]/.test(value) ? `'${value}` : value);
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : `${inert(value)}`;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const csv = (heads, rows) => [heads, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
  const tables = {
    board: () => {
      const methods = Object.keys(report().board[0]?.ranks ?? {});
      const heads = ["rank", "best", "worst", "score", "low", "high", "tier", "letters", "group", "part", "core", "battles"];
      const rows = report().board.map((row, i) => [
        shown[i],
        ...heads.map((name) => row[name]),
        ...methods.map((name) => row.ranks[name]),
      ]);
      return csv(["agent", ...heads, ...methods], rows);
    },
    pairs: () => {
      const { a, b, ...columns } = report().pairs;
      const names = Object.keys(columns).filter((name) => columns[name]);
      return csv(["agent", "rival", ...names], a.map((i, k) => [shown[i], shown[b[k]], ...names.map((x) => columns[x][k])]));
    },
    report: () => JSON.stringify(report(), null, 1),
  };
  const saveBlob = (name, blob) => {
    const link = make("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  for (const button of all("button[data-save]")) {
    const [name, kind] = button.dataset.save.split(".");
    button.addEventListener("click", () => saveBlob(`${name}.${kind}`, new Blob([tables[name]()], { type: kind === "csv" ? "text/csv" : "application/json" })));
  }
})();
