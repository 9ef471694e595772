// Plays one client of a database with go-redis, as recorder.ts does with libraries of Node.js.
//
//	recorder HOST PORT CLIENT [default|several|once|cluster]
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/redis/go-redis/v9"
)

const (
	sliceNs        = 4_000_000_000
	registers      = 3
	clockMonotonic = 1
)

type act map[string]any

var (
	background = context.Background()
	output     = bufio.NewWriter(os.Stdout)
	name       = os.Args[3]
	client     = newClient()
)

func main() {
	var over atomic.Bool
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		over.Store(true)
	}()
	for number := 0; !over.Load(); number++ {
		operate(number)
	}
	_ = client.Close()
}

// newClient is one of a cluster when that is asked for.
func newClient() redis.UniversalClient {
	if attempts() != "cluster" {
		return redis.NewClient(options())
	}
	address := os.Args[1] + ":" + os.Args[2]
	return redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{address}, PoolSize: 2, ReadTimeout: 10 * time.Second})
}

func attempts() string {
	if len(os.Args) > 4 {
		return os.Args[4]
	}
	return "several"
}

// options are those of the library, with the settings of docs/upgrades.md, or so that nothing is sent again.
func options() *redis.Options {
	options := &redis.Options{Addr: os.Args[1] + ":" + os.Args[2], PoolSize: 2}
	if attempts() != "default" {
		options.ReadTimeout = 10 * time.Second
	}
	if attempts() == "once" {
		options.MaxRetries = -1
	}
	return options
}

func operate(number int) {
	begin := now()
	slice := begin / sliceNs
	register := fmt.Sprintf("register-%d-%d", rand.Intn(registers), slice)
	list := fmt.Sprintf("list-%d", slice)
	value := fmt.Sprintf("%s-%d", name, number)
	dice := rand.Float64()
	switch {
	case dice < 0.3:
		got, err := read(client, register)
		emit(register, begin, act{"kind": "get", "value": got}, nil, err)
	case dice < 0.55:
		write := act{"kind": "set", "value": value}
		emit(register, begin, write, write, client.Set(background, register, value, 0).Err())
	case dice < 0.75:
		done, err := swap(register, value)
		emit(register, begin, done, act{"kind": "exchange", "to": value}, err)
	case dice < 0.93:
		length, err := client.RPush(background, list, value).Result()
		emit(list, begin, act{"kind": "append", "value": value, "length": length}, act{"kind": "append", "value": value}, err)
	default:
		values, err := client.LRange(background, list, 0, -1).Result()
		emit(list, begin, act{"kind": "read-list", "values": values}, nil, err)
	}
}

func swap(key, to string) (act, error) {
	var from any
	err := client.Watch(background, func(tx *redis.Tx) error {
		value, err := read(tx, key)
		if err != nil {
			return err
		}
		from = value
		_, err = tx.TxPipelined(background, func(pipe redis.Pipeliner) error {
			return pipe.Set(background, key, to, 0).Err()
		})
		return err
	}, key)
	if errors.Is(err, redis.TxFailedErr) {
		return act{"kind": "get", "value": from}, nil
	}
	return act{"kind": "compare-and-set", "from": from, "to": to}, err
}

func read(from redis.Cmdable, key string) (any, error) {
	value, err := from.Get(background, key).Result()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	return value, err
}

// emit prints what was done; with an error, what may have been done.
func emit(key string, begin int64, done, unknown act, err error) {
	line := map[string]any{"client": name, "key": key, "begin": begin}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		if unknown == nil {
			return
		}
		line["act"] = unknown
	} else {
		line["end"] = now()
		line["act"] = done
	}
	text, _ := json.Marshal(line)
	_, _ = output.Write(append(text, '\n'))
	_ = output.Flush()
}

// now is the steady clock that all processes of the machine share; the one of package time cannot be compared with others.
func now() int64 {
	var at syscall.Timespec
	_, _, _ = syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&at)), 0)
	return at.Nano()
}
