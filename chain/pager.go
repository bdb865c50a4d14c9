package chain

import "sync"

// Sizes of a page, in blocks.
const (
	firstPage   = 100
	largestPage = 10_000
)

// pager finds by bisection how many blocks of logs a request may be for, and
// remembers it for the searches to come. It is safe for concurrent use. The zero
// value knows nothing.
//
// Nodes limit the blocks of a request, its logs, or both. A limit of blocks is
// found once, to within 1/32, and then a larger page is tried after 16 pages, and
// each time in vain after twice as many. Where the blocks have more logs, a page is
// refused that is not larger than one that was answered: then pages are made
// smaller by 1/8, by half if that is not enough, and grow by 1/8 later. The limit is
// found to within 1/32 again when a larger page was tried twice in vain.
type pager struct {
	mu       sync.Mutex
	largest  uint64 // page that is taken to be answered; 0: none
	smallest uint64 // page that is taken to be refused; 0: none, else larger than largest
	limited  bool   // a page was refused before
	dense    bool   // a page was refused that is not larger than one that was answered
	pages    int    // answered since the last refusal
	failures int    // of the tries of a page of the size smallest, in a row
}

const (
	pagerPrecision  = 32 // the bisection ends when smallest-largest is this part of largest, if the density of logs does not matter
	pagerStep       = 8  // the part of largest by which it follows the density of logs
	pagesUntilRetry = 16
)

// next is the size of the next page; known: pages of this size are answered.
func (p *pager) next() (size uint64, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.largest == 0 && p.smallest == 0:
		return firstPage, false
	case p.largest == 0:
		return max(1, p.smallest/2), false
	case p.smallest == 0 && p.limited:
		size = min(p.largest+max(1, p.largest/pagerStep), largestPage)
	case p.smallest == 0:
		size = min(2*p.largest, largestPage)
	case p.smallest-p.largest > max(1, p.largest/p.precision()):
		size = (p.largest + p.smallest) / 2
	case p.pages >= pagesUntilRetry<<min(p.failures, 32):
		size = p.smallest
	default:
		size = p.largest
	}
	return size, size <= p.largest
}

func (p *pager) precision() uint64 {
	if p.dense && p.failures < 2 {
		return pagerStep
	}
	return pagerPrecision
}

// answered records that a page of this size was answered.
func (p *pager) answered(size uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pages++
	p.largest = max(p.largest, size)
	if p.smallest != 0 && p.largest >= p.smallest {
		p.smallest, p.failures = 0, 0
	}
}

// refused records that a page of this size was refused; it had more than one block.
func (p *pager) refused(size uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case size <= p.largest && p.pages == 0:
		p.largest, p.smallest, p.failures, p.dense = size/2, size, 0, true
	case size <= p.largest:
		p.largest = max(1, size-max(1, size/pagerStep))
		p.smallest, p.failures, p.dense = p.largest+1, 0, true
	case size == p.smallest:
		p.failures++
	case p.smallest == 0 || size < p.smallest:
		p.smallest = size
	}
	p.limited, p.pages = true, 0
}
