API=__ORIGIN__/api/v1
MON=0x0000000000000000000000000000000000000000 # native has no contract: zero stands for it
USDC=0x754704Bc059F8C67012fEd69BC8A327a5aafb603

# 1. What can be swapped? decimals says how many raw units make one.
curl -s "$API/tokens?search=USDC&limit=1"

# 2. What do 1000 MON buy? Amounts are integers in raw units.
curl -s "$API/quote?tokenIn=$MON&tokenOut=$USDC&amount=1000000000000000000000"

# 3. With a recipient the answer gains tx, ready to be signed.
ME=0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266
curl -s "$API/swap?tokenIn=$MON&tokenOut=$USDC&amount=1000000000000000000000&recipient=$ME"

# 4. Follow a quote from block to block: now, then whenever it changes.
curl -sN --max-time 2 "$API/stream?tokenIn=$MON&tokenOut=$USDC&amount=1000000000000000000000" || true
