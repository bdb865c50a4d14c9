import { startAnnouncing } from "./announce";
import { subscribeToQuotes } from "./answer";
import { followDepth } from "./depth";
import { Form } from "./form";
import { mount } from "./frame";
import { watchBalances } from "./holdings";
import { persist, applyLink, amountText } from "./order";
import { QuoteDetails } from "./details";
import { tokenList, load } from "./tokens";
import { discover } from "./wallet";
import { WalletButton } from "./wallets";

/** The page. Placeholders are shown until the token list has loaded. */
function Page() {
  const loading = tokenList.value.length === 0;
  return (
    <div class={loading ? "swap loading" : "swap"} aria-busy={loading}>
      <Form />
      <QuoteDetails />
    </div>
  );
}

mount(<Page />, <WalletButton />);
discover();
watchBalances();

/** Requests the token list until it has loaded, then starts the rest. */
async function start(): Promise<void> {
  while (!(await load().then(() => true, () => false))) await new Promise((resolve) => setTimeout(resolve, 1000));
  const typedEarly = amountText.value; // before the list had loaded
  applyLink();
  if (typedEarly) amountText.value = typedEarly;
  persist();
  subscribeToQuotes();
  startAnnouncing();
  followDepth();
}

void start();
