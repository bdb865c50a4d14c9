const line = document.getElementById("status");

async function ask() {
  try {
    const answer = await fetch("/readyz", { cache: "no-store" });
    const state = await answer.json();
    line.className = state.ready ? "ready" : "waiting";
    line.textContent = state.ready
      ? `Ready at block ${state.block}, ${state.ageSeconds} s old.`
      : `Not ready: ${state.reason}.`;
  } catch {
    line.className = "waiting";
    line.textContent = "The service does not answer.";
  }
  setTimeout(ask, 2000);
}

ask();
