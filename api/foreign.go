package api

import "strings"

// foreignParams are parameters of other aggregators (0x, 1inch, KyberSwap,
// OpenOcean, ParaSwap, Odos, LI.FI and some more), in lower case, that this API
// does not have. A client that sends one expects an effect that it does not have
// here, so the answer has a warning. Remove a name that becomes a parameter here.
var foreignParams = lowerCaseSet(`
	sellToken buyToken sellAmount buyAmount sellEntireBalance slippagePercentage slippageTolerance slippageLimitPercent slippage
	fromToken toToken fromTokenAddress toTokenAddress fromAmount toAmount amountIn amountDecimals
	src dst srcToken destToken srcAmount destAmount srcDecimals destDecimals inTokenAddress outTokenAddress tokenInAddress tokenOutAddress
	inputTokens outputTokens inputToken outputToken inputMint outputMint side swapMode
	from to fromAddress toAddress sender receiver destReceiver taker takerAddress userAddress userAddr swapper account origin txOrigin

	chain network fromChain toChain fromChainId toChainId srcChainId dstChainId tokenInChainId tokenOutChainId

	fee swapFeeBps swapFeeRecipient swapFeeToken feeAmount feeReceiver chargeFeeBy isInBps platformFeeBps buyTokenPercentageFee
	partner partnerAddress partnerFeeBps affiliateAddress integrator referrer referrerAddress referrerFee referralCode
	tradeSurplusRecipient tradeSurplusMaxBps feeRecipientTradeSurplus takeSurplus isTakeSurplus isCapSurplus

	includedSources excludedSources onlySources sourceWhitelist sourceBlacklist poolBlacklist excludedPools excludePools
	protocols excludedProtocols includeDEXS excludeDEXS dexes excludeDexes enabledDexIds disabledDexIds
	allowExchanges denyExchanges preferExchanges allowBridges denyBridges preferBridges
	excludeRFQ excludeRFQSources disableRfq disableRFQs onlyScalableSources onlyDirectPools onlyDirectRoutes onlySinglePath connectorTokens
	maxSplits mainRouteParts parts virtualParts complexityLevel likeAsset

	gasPrice gasPriceDecimals gasLimit gasInclude saveGas includeGas includeProtocols includeTokensInfo
	deadline maxImpact maxUSDImpact maxPriceImpact priceImpactProtectionPercentage enableSlippageProtection ignoreBadUsdPrice
	disableEstimate enableGasEstimation skipValidation skipSimulation ignoreChecks ignoreGasEstimate simulate
	allowPartialFill usePatching usePermit2 intentOnFilling compatibility pathViz
`)

// lowerCaseSet is the set of the words of a text, in lower case.
func lowerCaseSet(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(strings.ToLower(names)) {
		set[name] = true
	}
	return set
}
