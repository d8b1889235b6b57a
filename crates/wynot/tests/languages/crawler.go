// Package crawler fetches pages and lists their links.
package crawler

import (
	"net/http"
	"strings"
	"sync"
)

const limit = 4096

// Page is what was found at an address.
type Page struct {
	Address string
	Status  int
	Links   []string
}

// Crawler knows which pages were seen.
type Crawler struct {
	lock  sync.Mutex
	seen  map[string]bool
	pages []Page
}

// New returns a crawler that has seen nothing.
func New() *Crawler {
	return &Crawler{seen: map[string]bool{}}
}

func (c *Crawler) mark(address string) bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.seen[address] {
		return false
	}
	c.seen[address] = true
	return true
}

func fetch(address string) (Page, error) {
	response, err := http.Get(address)
	if err != nil {
		return Page{}, err
	}
	defer response.Body.Close()
	text := make([]byte, limit)
	n, _ := response.Body.Read(text)
	page := Page{Address: address, Status: response.StatusCode}
	for _, word := range strings.Fields(string(text[:n])) {
		if strings.HasPrefix(word, "http") {
			page.Links = append(page.Links, word)
		}
	}
	return page, nil
}

// Crawl visits all addresses that were not seen before.
func (c *Crawler) Crawl(addresses []string) {
	results := make(chan Page, len(addresses))
	var group sync.WaitGroup
	for _, address := range addresses {
		if !c.mark(address) {
			continue
		}
		group.Add(1)
		go func() {
			defer group.Done()
			page, err := fetch(address)
			if err == nil {
				results <- page
			}
		}()
	}
	group.Wait()
	close(results)
	for page := range results {
		c.pages = append(c.pages, page)
	}
}

// Broken lists the addresses that did not answer well.
func (c *Crawler) Broken() []string {
	broken := []string{}
	for i := 0; i < len(c.pages); i++ {
		switch c.pages[i].Status {
		case http.StatusOK:
		default:
			broken = append(broken, c.pages[i].Address)
		}
	}
	return broken
}
