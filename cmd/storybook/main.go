// Command storybook serves every state of the pages at an address of its own,
// with the real scripts and styles and no lab behind them. It is for whoever
// works on how the pages look, and no part of the product.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/burstlab/burstlab/views/story/book"
)

func main() {
	addr := flag.String("addr", "localhost:8081", "`host:port` to serve at")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, *addr); err != nil {
		log.Fatal(err)
	}
}

// serve serves until ctx ends.
func serve(ctx context.Context, addr string) error {
	handler, err := book.New()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("The storybook is at http://%s\n", listener.Addr())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	stopped := context.AfterFunc(ctx, func() { server.Close() })
	defer stopped()
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}
