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

/** Until the list of tokens is there, shapes stand where the swap will be. */
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

/** The list may not be there yet when the page is: it is asked for until it is. */
async function start(): Promise<void> {
  while (!(await load().then(() => true, () => false))) await new Promise((resolve) => setTimeout(resolve, 1000));
  const typedEarly = amountText.value; // by somebody faster than the list
  applyLink();
  if (typedEarly) amountText.value = typedEarly;
  persist();
  subscribeToQuotes();
  startAnnouncing();
  followDepth();
}

void start();
