"use strict";
(() => {
  // an open page says that somebody is there; what was uploaded is removed when nobody is
  setInterval(() => fetch("/alive").catch(() => {}), 60000);

  // files are sent as they are chosen or dropped, unless they are too large
  for (const form of document.querySelectorAll("form.drop")) {
    const input = form.querySelector("input[type=file]");
    const warning = form.querySelector("[role=alert]");
    const fits = () => {
      const size = [...input.files].reduce((sum, file) => sum + file.size, 0);
      warning.hidden = size <= Number(form.dataset.limit);
      warning.textContent = warning.hidden ? "" : "These files are too large to be sent. Start heldout serve with their paths instead.";
      return warning.hidden;
    };
    form.addEventListener("submit", (event) => { if (!fits()) event.preventDefault(); });
    input.addEventListener("change", fits);
    for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
      form.addEventListener(kind, (event) => {
        event.preventDefault();
        form.classList.toggle("over", kind === "dragenter" || kind === "dragover");
      });
    }
    form.addEventListener("drop", (event) => {
      if (!event.dataTransfer.files.length) return;
      input.files = event.dataTransfer.files;
      if (fits()) form.requestSubmit();
    });
  }

  // the positive class is one of those that the chosen column has
  for (const select of document.querySelectorAll("select[data-levels]")) {
    const offer = () => {
      const field = document.getElementById(select.dataset.levels);
      const known = document.getElementById(`levels-${select.value}`);
      const levels = [...(known?.options || [])].map((level) => level.value);
      if (field) field.required = select.name === "truth" && known?.hasAttribute("data-asked") === true;
      field?.setAttribute("list", `levels-${select.value}`);
      field?.setAttribute("placeholder", levels.length === 2 ? levels.join(" or ") : "");
    };
    select.addEventListener("change", offer);
    offer();
  }

  const job = document.getElementById("job");
  if (job) {
    const bar = job.querySelector("progress");
    const text = job.querySelector("output");
    const events = new EventSource(job.dataset.events);
    events.addEventListener("message", (event) => {
      const status = JSON.parse(event.data);
      if (status.total) {
        bar.max = status.total;
        bar.value = status.done;
      }
      text.textContent = status.total ? `${status.done} of ${status.total} ${status.what || ""}` : status.state;
    });
    events.addEventListener("end", () => {
      events.close();
      location.reload();
    });
  }
})();
