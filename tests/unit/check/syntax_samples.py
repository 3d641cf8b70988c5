"""Texts that are right, and ways to break them: for each language at least three of both.

A way to break a text is what to replace, and by what; the place is where a person would look. `GOOD` texts are read
without a word. `BROKEN` names the number of a good text, what is in it once, and what it becomes.
"""

from __future__ import annotations

GOOD: dict[str, tuple[str, ...]] = {}
BROKEN: dict[str, tuple[tuple[int, str, str], ...]] = {}

GOOD["javascript"] = (
    """import { readFile } from "node:fs/promises";

export class Cache {
  #entries = new Map();

  async load(name, { fresh = false } = {}) {
    if (!fresh && this.#entries.has(name)) {
      return this.#entries.get(name);
    }
    const text = await readFile(`${name}.json`, "utf8");
    const value = JSON.parse(text) ?? {};
    this.#entries.set(name, value);
    return value;
  }
}

export default new Cache();
""",
    """const total = (orders) =>
  orders
    .filter(({ paid }) => paid)
    .map((order) => order.lines?.length ?? 0)
    .reduce((a, b) => a + b, 0);

function* pages(items, size = 10) {
  for (let at = 0; at < items.length; at += size) {
    yield items.slice(at, at + size);
  }
}

switch (total([])) {
  case 0:
    console.log("nothing");
    break;
  default:
    console.log(/[a-z]+/giu.test("x"), ...pages([1, 2]));
}
""",
    """export function List({ items, onPick }) {
  const shown = items.filter(Boolean);
  return (
    <ul className="list">
      {shown.map((item) => (
        <li key={item.id} onClick={() => onPick(item)}>
          {item.name}
        </li>
      ))}
    </ul>
  );
}
""",
)
BROKEN["javascript"] = (
    (0, "      return this.#entries.get(name);\n    }\n", "      return this.#entries.get(name);\n"),
    (0, '"utf8");', '"utf8);'),
    (1, "paid }) => paid)", "paid }) => paid"),
    (1, "yield items.slice", "... rest stays the same ...\n    yield items.slice"),
    (2, "        </li>\n", ""),
    (1, "at < items.length; at", "at < items.length at"),
)
GOOD["typescript"] = (
    """import type { Request, Response } from "./http";

interface Handler<T extends object = Record<string, unknown>> {
  readonly path: string;
  handle(request: Request, params: T): Promise<Response>;
}

export abstract class Router implements Iterable<Handler> {
  private handlers: Handler[] = [];

  constructor(protected readonly base: string) {}

  add<T extends object>(handler: Handler<T>): this {
    this.handlers.push(handler as unknown as Handler);
    return this;
  }

  *[Symbol.iterator](): Iterator<Handler> {
    yield* this.handlers;
  }
}
""",
    """type Shape =
  | { kind: "circle"; radius: number }
  | { kind: "square"; side: number };

export function area(shape: Shape): number {
  switch (shape.kind) {
    case "circle":
      return Math.PI * shape.radius ** 2;
    case "square":
      return shape.side ** 2;
    default: {
      const never: never = shape;
      throw new Error(`unknown ${String(never)}`);
    }
  }
}
""",
    """enum Level {
  Low = 1,
  High = Low << 1,
}

export const levels = {
  low: Level.Low,
  high: Level.High,
} as const satisfies Record<string, Level>;

export type Names = keyof typeof levels;

declare global {
  interface Window {
    levels: typeof levels;
  }
}

export const pick = <K extends Names>(name: K): (typeof levels)[K] => levels[name]!;
""",
)
BROKEN["typescript"] = (
    (0, "    return this;\n  }\n", "    return this;\n"),
    (0, "params: T): Promise", "params: T: Promise"),
    (1, 'case "square":', 'case "square:'),
    (2, "  high: Level.High,\n", "  high: \n"),
    (1, "switch (shape.kind) {", "switch (shape.kind)"),
)
GOOD["tsx"] = (
    """import { useState } from "react";

interface Props {
  start?: number;
  onChange(value: number): void;
}

export function Counter({ start = 0, onChange }: Props) {
  const [value, setValue] = useState<number>(start);
  const add = (by: number) => {
    setValue(value + by);
    onChange(value + by);
  };
  return (
    <div className="counter">
      <button onClick={() => add(1)}>+</button>
      <output>{value}</output>
    </div>
  );
}
""",
    """type Row = { id: string; name?: string };

export const Table = ({ rows }: { rows: readonly Row[] }) => (
  <table>
    <tbody>
      {rows.map((row) => (
        <tr key={row.id}>
          <td>{row.name ?? "none"}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
""",
    """import * as React from "react";

export class Boundary extends React.Component<{ children: React.ReactNode }, { failed: boolean }> {
  state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (this.state.failed) {
      return <p>Sorry.</p>;
    }
    return <>{this.props.children}</>;
  }
}
""",
)
BROKEN["tsx"] = (
    (0, "    onChange(value + by);\n  };\n", "    onChange(value + by);\n"),
    (0, 'className="counter"', 'className="counter'),
    (1, '{row.name ?? "none"}', '{row.name ?? "none"'),
    (2, "if (this.state.failed) {", "if (this.state.failed {"),
)
GOOD["go"] = (
    """package store

import (
	"errors"
	"fmt"
)

type Item[K comparable] struct {
	Key   K
	Count int `json:"count"`
}

var ErrMissing = errors.New("missing")

func (i *Item[K]) Add(n int) error {
	if n < 0 {
		return fmt.Errorf("add %d: %w", n, ErrMissing)
	}
	i.Count += n
	return nil
}
""",
    """package main

import "sync"

func collect(in <-chan int, workers int) map[int]int {
	out := make(map[int]int, workers)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for v := range in {
				mu.Lock()
				out[v]++
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	return out
}
""",
    """package main

import "os"

const (
	A = iota
	B
)

func main() {
	switch n := len(os.Args); {
	case n == 1:
		println("none", A)
	case n > 1 && n < 5:
		println("some", B)
	default:
		select {}
	}
}
""",
)
BROKEN["go"] = (
    (0, "ErrMissing)\n\t}\n", "ErrMissing)\n"),
    (0, '"missing")', '"missing)'),
    (1, "make(map[int]int, workers)", "make(map[int]int, workers"),
    (1, "mu.Lock()\n", "mu.Lock()\n\t\t\t\t}\n"),
    (2, "case n == 1:", "case n == 1"),
    (0, "return nil", "..."),
)
GOOD["rust"] = (
    """use std::collections::HashMap;

#[derive(Debug, Clone, Default)]
pub struct Index<'a> {
    words: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Index<'a> {
    pub fn add(&mut self, text: &'a str) -> usize {
        for (at, word) in text.split_whitespace().enumerate() {
            self.words.entry(word).or_default().push(at);
        }
        self.words.len()
    }

    pub fn get(&self, word: &str) -> Option<&[usize]> {
        self.words.get(word).map(Vec::as_slice)
    }
}
""",
    """pub enum Shape {
    Circle { radius: f64 },
    Square(f64),
}

pub fn area(shape: &Shape) -> f64 {
    match shape {
        Shape::Circle { radius } if *radius > 0.0 => std::f64::consts::PI * radius.powi(2),
        Shape::Circle { .. } => 0.0,
        Shape::Square(side) => side * side,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares() {
        assert_eq!(area(&Shape::Square(2.0)), 4.0, "two by two");
    }
}
""",
    """use std::io::{self, Read};

async fn read<R>(mut from: R) -> io::Result<String>
where
    R: Read + Send + 'static,
{
    let mut text = String::new();
    let Ok(n) = from.read_to_string(&mut text) else {
        return Err(io::Error::other("not text"));
    };
    let shown = format!("{n} bytes: {text:?}");
    let first = shown.lines().map(|line| line.trim()).next().unwrap_or(r#"none "at all""#);
    Ok(first.to_owned())
}
""",
)
BROKEN["rust"] = (
    (0, "push(at);\n        }\n", "push(at);\n"),
    (0, "Vec::as_slice)", "Vec::as_slice"),
    (1, "Shape::Circle { .. } => 0.0,", "Shape::Circle { .. } = 0.0,"),
    (1, "4.0, ", "4.0), "),
    (2, "else {\n        return", "else \n        return"),
    (2, "let mut text = String::new();", "let mut text = ;"),
)
GOOD["java"] = (
    """package demo;

import java.util.List;
import java.util.Map;

public final class Orders {
    private final Map<String, List<Integer>> lines;

    public Orders(Map<String, List<Integer>> lines) {
        this.lines = Map.copyOf(lines);
    }

    public int total(String name) {
        int sum = 0;
        for (int each : lines.getOrDefault(name, List.of())) {
            sum += each;
        }
        return sum;
    }
}
""",
    """package demo;

sealed interface Shape permits Circle, Square {}

record Circle(double radius) implements Shape {}

record Square(double side) implements Shape {}

class Areas {
    static double of(Shape shape) {
        return switch (shape) {
            case Circle c -> Math.PI * c.radius() * c.radius();
            case Square s -> {
                double side = s.side();
                yield side * side;
            }
        };
    }
}
""",
    """package demo;

import java.util.function.Function;

class Texts {
    static final String HELP = \"\"\"
        usage: "demo" [name]
        \"\"\";

    @SuppressWarnings("unchecked")
    <T extends Comparable<T>> T pick(T a, T b) throws IllegalStateException {
        Function<T, String> show = each -> "value " + each;
        try {
            return a.compareTo(b) > 0 ? a : b;
        } catch (RuntimeException error) {
            throw new IllegalStateException(show.apply(a), error);
        } finally {
            System.out.println(HELP);
        }
    }
}
""",
)
BROKEN["java"] = (
    (0, "            sum += each;\n        }\n", "            sum += each;\n"),
    (0, "Map.copyOf(lines);", "Map.copyOf(lines;"),
    (1, "yield side * side;", "yield side * ;"),
    (2, '"value " + each', '"value + each'),
    (2, "} catch (RuntimeException error) {", "} cath (RuntimeException error) {"),
)
GOOD["c"] = (
    """#include <stdio.h>
#include <stdlib.h>

#define MAX_ITEMS 16

struct item {
    const char *name;
    int count;
};

static int total(const struct item *items, size_t n) {
    int sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (items[i].count > 0) {
            sum += items[i].count;
        }
    }
    return sum;
}

int main(void) {
    struct item items[MAX_ITEMS] = {{"one", 1}, {.name = "two", .count = 2}};
    printf("%d\\n", total(items, 2));
    return EXIT_SUCCESS;
}
""",
    """typedef enum { RED, GREEN = 4, BLUE } color;

typedef int (*compare_fn)(const void *, const void *);

static int by_value(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

const char *name(color c) {
    switch (c) {
    case RED:
        return "red";
    case GREEN:
        return "green";
    default:
        return 0;
    }
}

compare_fn chosen = by_value;
""",
    """#ifndef LIST_H
#define LIST_H

#include <stddef.h>

typedef struct node {
    struct node *next;
    unsigned flags : 3;
    union {
        long number;
        double real;
    } value;
} node;

static inline node *push(node *head, node *fresh) {
    do {
        fresh->next = head;
    } while (0);
    return fresh ? fresh : NULL;
}

#endif
""",
)
BROKEN["c"] = (
    (0, "            sum += items[i].count;\n        }\n", "            sum += items[i].count;\n"),
    (0, "total(items, 2));", "total(items, 2);"),
    (1, 'return "green";', 'return "green;'),
    (2, "} while (0);", "}} while (0);"),
    (0, "int sum = 0;", "int sum = ;"),
)
GOOD["cpp"] = (
    """#include <memory>
#include <string>
#include <vector>

namespace demo {

template <typename T>
class Stack {
public:
    void push(T value) { items_.push_back(std::move(value)); }

    [[nodiscard]] bool empty() const noexcept {
        return items_.empty();
    }

private:
    std::vector<T> items_{};
};

}  // namespace demo
""",
    """#include <algorithm>
#include <map>

auto count(const std::map<std::string, int>& words) -> int {
    int sum = 0;
    for (const auto& [word, n] : words) {
        if (!word.empty() && n > 0) {
            sum += n;
        }
    }
    auto by = [&sum](int x) mutable { return x + sum; };
    return std::max(by(1), 0);
}
""",
    """struct Base {
    virtual ~Base() = default;
    virtual int size() const = 0;
};

struct Leaf final : Base {
    explicit Leaf(int n) : n_{n} {}
    int size() const override { return n_; }

    friend bool operator==(const Leaf& a, const Leaf& b) { return a.n_ == b.n_; }

private:
    int n_ = 0;
};

int main() {
    try {
        Leaf leaf{3};
        return leaf.size() - 3;
    } catch (...) {
        return 1;
    }
}
""",
)
BROKEN["cpp"] = (
    (0, "        return items_.empty();\n    }\n", "        return items_.empty();\n"),
    (1, "std::max(by(1), 0);", "std::max(by(1, 0);"),
    (1, "if (!word.empty() && n > 0) {", "if (!word.empty() && n > 0)) {"),
    (2, "Leaf leaf{3};", "Leaf leaf{3;"),
)
GOOD["header"] = (
    GOOD["c"][2],
    GOOD["cpp"][0],
    """#import <Foundation/Foundation.h>

@class Item;

@interface Store : NSObject

@property (nonatomic, copy) NSString *name;

- (void)add:(Item *)item;
- (NSArray<Item *> *)itemsNamed:(NSString *)name;

@end
""",
)
BROKEN["header"] = (
    (0, "    } value;\n", "     value;\n"),
    (1, "std::move(value)); }", "std::move(value); }"),
    (2, "(NSString *)name;", "(NSString *name;"),
)
GOOD["csharp"] = (
    """using System;
using System.Collections.Generic;
using System.Linq;

namespace Demo;

public record Order(string Name, decimal Price);

public sealed class Orders
{
    private readonly List<Order> orders = new();

    public decimal Total => orders.Sum(o => o.Price);

    public void Add(Order order)
    {
        if (order is null)
        {
            throw new ArgumentNullException(nameof(order));
        }
        orders.Add(order);
    }
}
""",
    """using System.Threading.Tasks;

namespace Demo
{
    public static class Shapes
    {
        public static double Area(object shape) => shape switch
        {
            double radius when radius > 0 => 3.14 * radius * radius,
            int side => side * side,
            _ => 0,
        };

        public static async Task<string> ShowAsync(object shape)
        {
            await Task.Delay(1);
            return $"area {Area(shape):F2}";
        }
    }
}
""",
    """namespace Demo
{
    public enum Level { Low = 1, High }

    public abstract class Base<T> where T : class, new()
    {
        public string? Name { get; init; }

        protected virtual int this[int at]
        {
            get { return at; }
            set { _ = value; }
        }

        public event System.Action<T>? Changed;

        public void Raise()
        {
            foreach (var level in new[] { Level.Low, Level.High })
            {
                Changed?.Invoke(new T());
            }
        }
    }
}
""",
)
BROKEN["csharp"] = (
    (0, "nameof(order));\n        }\n", "nameof(order));\n"),
    (0, "orders.Sum(o => o.Price);", "orders.Sum(o => o.Price;"),
    (1, "await Task.Delay(1);", "await Task.Delay(1));"),
    (2, "get { return at; }", "get { return at; "),
)
GOOD["ruby"] = (
    """require "json"

module Store
  class Item
    attr_reader :name, :count

    def initialize(name, count: 0)
      @name = name
      @count = count
    end

    def add(by)
      raise ArgumentError, "no #{by}" if by.negative?

      @count += by
      self
    end
  end
end
""",
    """def total(orders)
  orders
    .select(&:paid?)
    .map { |order| order.lines.size }
    .sum
end

%w[one two].each_with_index do |name, at|
  case name
  when "one", /^t/
    puts "#{at}: #{name}"
  else
    puts <<~TEXT
      nothing for #{name}
    TEXT
  end
end
""",
    """class Reader
  include Enumerable

  def each
    return to_enum(:each) unless block_given?

    File.open("list.txt") do |file|
      while (line = file.gets)
        yield line.chomp
      end
    rescue Errno::ENOENT => e
      warn(e.message)
    ensure
      @done = true
    end
  end

  def to_h = map { |line| [line.to_sym, line.length] }.to_h
end
""",
)
BROKEN["ruby"] = (
    (0, "      @count = count\n    end\n", "      @count = count\n"),
    (0, 'require "json"', 'require "json'),
    (1, "order.lines.size }", "order.lines.size"),
    (2, "(line = file.gets)", "(line = file.gets))"),
    (1, "  case name\n", "  case name)\n"),
)
GOOD["php"] = (
    """<?php

declare(strict_types=1);

namespace Demo;

final class Orders
{
    public function __construct(private readonly array $lines = [])
    {
    }

    public function total(?string $name = null): int
    {
        $sum = 0;
        foreach ($this->lines as $key => $line) {
            if ($name === null || $key === $name) {
                $sum += $line['count'] ?? 0;
            }
        }
        return $sum;
    }
}
""",
    """<?php

enum Level: string
{
    case Low = 'low';
    case High = 'high';

    public static function pick(int $n): self
    {
        return match (true) {
            $n > 10 => self::High,
            default => self::Low,
        };
    }
}

$names = array_map(fn (Level $level) => "level {$level->value}", Level::cases());
echo implode(', ', $names), PHP_EOL;
""",
    """<html>
<body>
<?php if (count($items) > 0): ?>
  <ul>
  <?php foreach ($items as $item): ?>
    <li><?= htmlspecialchars($item['name']) ?></li>
  <?php endforeach; ?>
  </ul>
<?php else: ?>
  <p>Nothing.</p>
<?php endif; ?>
</body>
</html>
""",
)
BROKEN["php"] = (
    (0, "?? 0;\n            }\n", "?? 0;\n"),
    (0, "if ($name === null || $key === $name) {", "if ($name === null || $key === $name {"),
    (1, "case High = 'high';", "case High = 'high;"),
    (1, "$n > 10 => self::High,", "$n > 10 => ,"),
    (2, "['name'])", "['name')"),
)
GOOD["bash"] = (
    """#!/usr/bin/env bash
set -euo pipefail

log() {
  local level="$1"
  shift
  printf '%s: %s\\n' "$level" "$*" >&2
}

for file in "$@"; do
  if [[ -f "$file" ]]; then
    log info "size $(wc -c <"$file")"
  else
    log error "no ${file}"
    exit 1
  fi
done
""",
    """#!/bin/sh
case "$1" in
  start)
    echo "starting"
    ;;
  stop | halt)
    kill "$(cat run.pid)" || true
    ;;
  *)
    echo "usage: $0 start" >&2
    exit 2
    ;;
esac

while read -r line; do
  echo "$line"
done <<EOF
one
two
EOF
""",
    """#!/bin/bash
declare -A seen=([a]=1)
names=(one two "three four")
count=0
while (( count < ${#names[@]} )); do
  name=${names[$count]}
  seen["$name"]=$((count + 1))
  ((count++))
done
for key in "${!seen[@]}"; do
  echo "$key=${seen[$key]}" | sort -u
done
test -n "${HOME:-}" && { echo "home"; }
""",
)
BROKEN["bash"] = (
    (0, "    exit 1\n  fi\n", "    exit 1\n"),
    (0, '"$*" >&2\n}\n', '"$*" >&2\n'),
    (1, '  echo "$line"\ndone', '  echo "$line"\n'),
    (2, '"three four")', '"three four"'),
)
GOOD["css"] = (
    """:root {
  --accent: #0a7;
  --gap: calc(1rem + 2px);
}

body > main .card:not(.plain)::before {
  color: var(--accent, red);
  margin: 0 auto var(--gap);
}

@media (max-width: 40em) and (orientation: portrait) {
  .card {
    display: none;
  }
}
""",
    """@import url("base.css");

@font-face {
  font-family: "Demo";
  src: url("demo.woff2") format("woff2");
}

a[href^="https"]:hover,
a:focus-visible {
  text-decoration: underline;
  transition: color 0.2s ease-in;
}

@keyframes spin {
  from {
    transform: rotate(0deg);
  }
  to {
    transform: rotate(360deg);
  }
}
""",
    """.grid {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr));
}

/* wide screens */
@supports (display: grid) {
  .grid > * + * {
    padding: 0.5em !important;
  }
}

.grid:nth-child(2n + 1) {
  background: linear-gradient(to right, #fff 0%, rgba(0, 0, 0, 0.5) 100%);
}
""",
)
BROKEN["css"] = (
    (0, "    display: none;\n  }\n", "    display: none;\n"),
    (0, "calc(1rem + 2px);", "calc(1rem + 2px;"),
    (1, "rotate(0deg);\n  }\n", "rotate(0deg);\n  }\n  }\n"),
    (2, "@supports (display: grid) {", "@supports (display: grid)"),
)
GOOD["html"] = (
    """<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Demo</title>
    <link rel="stylesheet" href="demo.css">
  </head>
  <body>
    <p class="lead">Some <em>text</em> &amp; more.</p>
    <img src="a.png" alt="">
    <br/>
  </body>
</html>
""",
    """<form action="/save" method="post">
  <label for="name">Name</label>
  <input id="name" name="name" required>
  <select name="kind">
    <option value="a" selected>A</option>
    <option value="b">B</option>
  </select>
  <button type="submit" disabled>Save</button>
</form>
<script>
  if (1 < 2) { console.log("<p>"); }
</script>
""",
    """{% extends "base.html" %}
{% block body %}
  <ul>
    {% for item in items %}
      <li><a href="{{ item.url }}">{{ item.name }}</a></li>
    {% endfor %}
  </ul>
  <table>
    <tr><td>one<td>two
  </table>
{% endblock %}
""",
)
BROKEN["html"] = (
    (0, "<em>text</em>", "<em>text</em"),
    (1, "</select>", "</select"),
    (1, '<label for="name">', '<label for="name" <'),
)
GOOD["kotlin"] = (
    """package demo

import kotlin.math.PI

sealed interface Shape
data class Circle(val radius: Double) : Shape
data class Square(val side: Double) : Shape

fun area(shape: Shape): Double = when (shape) {
    is Circle -> PI * shape.radius * shape.radius
    is Square -> shape.side * shape.side
}

fun main() {
    val shapes = listOf(Circle(1.0), Square(2.0))
    for (shape in shapes) {
        println("area ${area(shape)}")
    }
}
""",
    """class Store<T : Any>(private val limit: Int = 10) {
    private val items = mutableListOf<T>()

    val size: Int
        get() = items.size

    fun add(item: T?): Boolean {
        val fresh = item ?: return false
        if (size >= limit) {
            throw IllegalStateException("full")
        }
        return items.add(fresh)
    }

    companion object {
        const val NAME = "store"
    }
}
""",
    """@file:JvmName("Texts")

package demo

suspend fun load(names: List<String>): Map<String, Int> {
    val found = names
        .filter { it.isNotBlank() }
        .associateWith { name -> name.length }
    try {
        check(found.isNotEmpty()) { "nothing" }
    } catch (error: IllegalStateException) {
        println(error.message?.uppercase())
    } finally {
        println("done")
    }
    return found
}
""",
)
BROKEN["kotlin"] = (
    (0, '${area(shape)}")\n    }\n', '${area(shape)}")\n'),
    (1, 'IllegalStateException("full")', 'IllegalStateException("full"'),
    (1, "fun add(item: T?): Boolean {", "fun add(item: T?: Boolean {"),
    (2, "{ name -> name.length }", "{ name -> name.length }}"),
    (2, "} catch (error", "} cach (error"),
)
GOOD["swift"] = (
    """import Foundation

struct Order: Codable, Hashable {
    let name: String
    var count = 0

    mutating func add(_ by: Int) throws {
        guard by > 0 else {
            throw OrderError.negative(by)
        }
        count += by
    }
}

enum OrderError: Error {
    case negative(Int)
}
""",
    """protocol Shape {
    var area: Double { get }
}

final class Circle: Shape {
    private let radius: Double

    init(radius: Double) {
        self.radius = radius
    }

    var area: Double {
        .pi * radius * radius
    }
}

extension Array where Element == Circle {
    func total() -> Double {
        return map { $0.area }.reduce(0, +)
    }
}
""",
    """func show(_ value: Any?) async -> String {
    switch value {
    case let number as Int where number > 0:
        return "number \\(number)"
    case .some(let other):
        return "other \\(other)"
    case nil:
        return "none"
    }
}

let names = ["one": 1, "two": 2]
for (name, count) in names where count > 1 {
    if let first = name.first, first != "x" {
        print("\\(first)", terminator: "")
    }
}
""",
)
BROKEN["swift"] = (
    (0, "negative(by)\n        }\n", "negative(by)\n"),
    (1, "reduce(0, +)", "reduce(0, +"),
    (1, "        self.radius = radius\n    }\n", "        self.radius = radius\n    }\n    }\n"),
    (2, 'return "none"', 'return "none'),
)
GOOD["scala"] = (
    """package demo

import scala.collection.mutable

sealed trait Shape
case class Circle(radius: Double) extends Shape
case class Square(side: Double) extends Shape

object Shapes {
  private val seen = mutable.Map.empty[String, Int]

  def area(shape: Shape): Double = shape match {
    case Circle(r) if r > 0 => math.Pi * r * r
    case Square(side) => side * side
    case _ => 0.0
  }

  def show(shapes: Shape*): String =
    shapes.map(s => f"${area(s)}%.2f").mkString(", ")
}
""",
    """class Store[T](limit: Int = 10)(implicit ordering: Ordering[T]) {
  private var items: List[T] = Nil

  def add(item: T): Either[String, Unit] = {
    if (items.size >= limit) {
      Left("full")
    } else {
      items = item :: items
      Right(())
    }
  }

  lazy val sorted: List[T] = items.sorted
}
""",
    """object Main extends App {
  val pairs = for {
    x <- 1 to 3
    y <- List(x, x + 1)
    if x != y
  } yield (x, y)

  try {
    println(s"found ${pairs.length}")
  } catch {
    case error: RuntimeException => println(error.getMessage)
  } finally {
    println("done")
  }
}
""",
)
BROKEN["scala"] = (
    (0, "    case _ => 0.0\n  }\n", "    case _ => 0.0\n"),
    (1, 'Left("full")', 'Left("full"'),
    (1, "Right(())", "Right(()))"),
    (2, "    y <- List(x, x + 1)\n", "    y <- List(x, x + 1\n"),
)
GOOD["lua"] = (
    """local Store = {}
Store.__index = Store

function Store.new(limit)
  return setmetatable({ items = {}, limit = limit or 10 }, Store)
end

function Store:add(item)
  if #self.items >= self.limit then
    error("full: " .. tostring(item))
  end
  self.items[#self.items + 1] = item
  return self
end

return Store
""",
    """local names = { "one", "two", [3] = "three" }

for index, name in ipairs(names) do
  while index < 2 do
    index = index + 1
  end
  print(string.format("%d: %s", index, name))
end

local function fact(n)
  return n <= 1 and 1 or n * fact(n - 1)
end

repeat
  local done = fact(3) == 6
until done
""",
    """-- reads a file
local path = ...
local text = [[
long "text"
]]

local ok, result = pcall(function()
  local file <close> = assert(io.open(path, "r"))
  for line in file:lines() do
    if line:match("^%s*$") then
      goto continue
    end
    text = text .. line
    ::continue::
  end
end)

print(ok, result, 7 // 2, 1 << 3)
""",
)
BROKEN["lua"] = (
    (0, "tostring(item))\n  end\n", "tostring(item))\n"),
    (0, "limit or 10 }, Store)", "limit or 10 , Store)"),
    (1, 'format("%d: %s", index', 'format("%d: %s, index'),
    (1, "while index < 2 do", "while index < 2"),
    (2, "text = text .. line", "text = text .. "),
)
GOOD["sql"] = (
    """CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    name VARCHAR(40) NOT NULL,
    price NUMERIC(10, 2) DEFAULT 0
);

INSERT INTO orders (id, name, price)
VALUES (1, 'one', 1.5), (2, 'two', 2.5);

SELECT o.name, SUM(o.price) AS total
FROM orders o
WHERE o.price > 1 AND o.name LIKE 't%'
GROUP BY o.name
ORDER BY total DESC;
""",
    """WITH recent AS (
    SELECT id, name
    FROM orders
    WHERE price IN (1, 2, 3)
)
SELECT r.id, COALESCE(c.city, 'none')
FROM recent r
LEFT JOIN customers c ON c.id = r.id
WHERE EXISTS (SELECT 1 FROM orders)
LIMIT 10;
""",
    """CREATE INDEX by_name ON orders (name);

UPDATE orders
SET price = price * 1.1,
    name = 'changed'
WHERE id = 1;

DELETE FROM orders WHERE name IS NULL;

SELECT CASE WHEN price > 10 THEN 'high' ELSE 'low' END AS level
FROM orders;
""",
)
BROKEN["sql"] = (
    (0, "    price NUMERIC(10, 2) DEFAULT 0\n);", "    price NUMERIC(10, 2) DEFAULT 0\n;"),
    (1, "(1, 2, 3)\n)", "(1, 2, 3)\n"),
    (1, "(SELECT 1 FROM orders)", "(SELECT 1 FROM orders"),
    (2, "ON orders (name);", "ON orders (name));"),
)
GOOD["haskell"] = (
    """module Shapes (Shape (..), area) where

import qualified Data.Map as Map
import Data.List (sortBy)

data Shape
  = Circle { radius :: Double }
  | Square Double
  deriving (Eq, Show)

area :: Shape -> Double
area (Circle r)
  | r > 0 = pi * r * r
  | otherwise = 0
area (Square side) = side * side

names :: Map.Map String Int
names = Map.fromList [("one", 1), ("two", 2)]
""",
    """module Main where

import Control.Monad (forM_, when)

class Named a where
  name :: a -> String

newtype Item = Item String

instance Named Item where
  name (Item text) = text

main :: IO ()
main = do
  let items = [Item "one", Item "two"]
  forM_ items $ \\item -> do
    when (length (name item) > 2) $
      putStrLn ("item " ++ name item)
""",
    """module Tree where

data Tree a = Leaf | Node (Tree a) a (Tree a)

insert :: Ord a => a -> Tree a -> Tree a
insert x Leaf = Node Leaf x Leaf
insert x tree@(Node left y right) =
  case compare x y of
    LT -> Node (insert x left) y right
    GT -> Node left y (insert x right)
    EQ -> tree

depth :: Tree a -> Int
depth Leaf = 0
depth (Node l _ r) = 1 + max (depth l) (depth r)
""",
)
BROKEN["haskell"] = (
    (0, '("two", 2)]', '("two", 2)'),
    (1, "(length (name item) > 2)", "(length (name item > 2)"),
    (2, "Node (insert x left) y right", "Node (insert x left)) y right"),
)
GOOD["elixir"] = (
    """defmodule Store do
  @moduledoc "Keeps items."

  defstruct items: [], limit: 10

  def add(%__MODULE__{items: items, limit: limit} = store, item) when length(items) < limit do
    {:ok, %{store | items: [item | items]}}
  end

  def add(_store, item) do
    {:error, "no room for #{inspect(item)}"}
  end
end
""",
    """defmodule Total do
  def run(orders) do
    orders
    |> Enum.filter(& &1.paid)
    |> Enum.map(fn order -> length(order.lines) end)
    |> Enum.sum()
  end

  def show(value) do
    case value do
      nil -> "none"
      n when is_integer(n) and n > 0 -> "#{n} items"
      _ -> ~s(other)
    end
  end
end
""",
    """defmodule StoreTest do
  use ExUnit.Case, async: true

  describe "add" do
    test "keeps what is added", %{tmp: tmp} do
      with {:ok, text} <- File.read(tmp),
           [first | _] <- String.split(text, "\\n") do
        assert first =~ ~r/^one/
      else
        {:error, reason} -> flunk(reason)
      end
    end
  end
end
""",
)
BROKEN["elixir"] = (
    (0, "items: [item | items]}}\n  end\n", "items: [item | items]}}\n"),
    (0, '"Keeps items."', '"Keeps items.'),
    (1, "fn order -> length(order.lines) end)", "fn order -> length(order.lines end)"),
    (1, "    case value do\n", "    case value\n"),
    (2, "[first | _] <-", "[first | _ <-"),
)
GOOD["zig"] = (
    """const std = @import("std");

pub const Item = struct {
    name: []const u8,
    count: u32 = 0,

    pub fn add(self: *Item, by: u32) !void {
        if (by == 0) {
            return error.Nothing;
        }
        self.count += by;
    }
};

pub fn main() !void {
    var item = Item{ .name = "one" };
    try item.add(2);
    std.debug.print("{s}: {d}\\n", .{ item.name, item.count });
}
""",
    """const Shape = union(enum) {
    circle: f64,
    square: f64,
};

fn area(shape: Shape) f64 {
    return switch (shape) {
        .circle => |radius| 3.14 * radius * radius,
        .square => |side| side * side,
    };
}

test "square" {
    const found = area(.{ .square = 2 });
    if (found != 4) unreachable;
}
""",
    """fn sum(items: []const i32) i64 {
    var total: i64 = 0;
    for (items, 0..) |item, at| {
        if (at % 2 == 0) continue;
        total += item;
    }
    var n: usize = 0;
    while (n < 3) : (n += 1) {
        total -= 1;
    }
    return total;
}

const table = [_]u8{ 1, 2, 3 };
const first = table[0] orelse 0;
""",
)
BROKEN["zig"] = (
    (0, "error.Nothing;\n        }\n", "error.Nothing;\n"),
    (0, "try item.add(2);", "try item.add(2;"),
    (1, "square = 2 });", "square = 2 }));"),
    (2, "for (items, 0..) |item, at| {", "for (items, 0..) |item, at| "),
)
GOOD["julia"] = (
    """module Shapes

using LinearAlgebra

abstract type Shape end

struct Circle <: Shape
    radius::Float64
end

function area(shape::Circle)
    if shape.radius < 0
        error("negative")
    end
    return pi * shape.radius^2
end

total(shapes) = sum(area(s) for s in shapes; init = 0.0)

end
""",
    """function count_words(text::AbstractString)
    counts = Dict{String,Int}()
    for word in split(text)
        counts[word] = get(counts, word, 0) + 1
    end
    return counts
end

words = count_words("a b a")
for (word, n) in words
    println("$word: $(n)")
end
""",
    """mutable struct Store{T}
    items::Vector{T}
end

function add!(store::Store{T}, item::T) where {T}
    try
        push!(store.items, item)
    catch err
        @warn "failed" err
    end
    while length(store.items) > 10
        popfirst!(store.items)
    end
    return store
end

squares = [x^2 for x in 1:10 if isodd(x)]
open("a.txt", "w") do io
    write(io, "text")
end
""",
)
BROKEN["julia"] = (
    (0, '        error("negative")\n    end\n', '        error("negative")\n'),
    (0, 'error("negative")', 'error("negative"'),
    (1, "Dict{String,Int}()", "Dict{String,Int()"),
    (2, "popfirst!(store.items)", "popfirst!(store.items))"),
)
GOOD["ocaml"] = (
    """type shape =
  | Circle of float
  | Square of { side : float }

let area = function
  | Circle r when r > 0. -> 3.14 *. r *. r
  | Circle _ -> 0.
  | Square { side } -> side *. side

let total shapes = List.fold_left (fun sum s -> sum +. area s) 0. shapes

let () =
  let shapes = [ Circle 1.; Square { side = 2. } ] in
  Printf.printf "%.2f\\n" (total shapes)
""",
    """module Store = struct
  type t = { mutable items : string list; limit : int }

  exception Full of string

  let create ?(limit = 10) () = { items = []; limit }

  let add t item =
    if List.length t.items >= t.limit then raise (Full item)
    else begin
      t.items <- item :: t.items;
      t
    end
end
""",
    """open Printf

module type Named = sig
  val name : string
end

let rec insert x = function
  | [] -> [ x ]
  | y :: rest as all -> if x <= y then x :: all else y :: insert x rest

let read path =
  try
    let channel = open_in path in
    let line = input_line channel in
    Some (String.trim line)
  with
  | End_of_file -> None
  | Sys_error reason ->
      eprintf "no %s: %s\\n" path reason;
      None
""",
)
BROKEN["ocaml"] = (
    (0, "[ Circle 1.; Square { side = 2. } ] in", "[ Circle 1.; Square { side = 2. }  in"),
    (1, "raise (Full item)", "raise (Full item"),
    (2, "Some (String.trim line)", "Some (String.trim line))"),
    (0, '"%.2f\\n" (total shapes)', '"%.2f\\n (total shapes)'),
)
GOOD["hcl"] = (
    """terraform {
  required_version = ">= 1.5"
}

variable "name" {
  type    = string
  default = "demo"
}

resource "aws_s3_bucket" "main" {
  bucket = "${var.name}-bucket"
  tags = {
    Name = var.name
  }

  lifecycle {
    prevent_destroy = true
  }
}
""",
    """locals {
  names = ["one", "two"]
  sizes = { for name in local.names : name => length(name) if name != "" }
  chosen = var.fast ? "large" : "small"
}

output "sizes" {
  value       = local.sizes
  description = "All sizes"
}
""",
    """module "network" {
  source = "./network"
  for_each = toset(["a", "b"])

  cidr = cidrsubnet("10.0.0.0/16", 8, 1)
  policy = <<-TEXT
    allow ${each.key}
  TEXT
}

data "aws_ami" "latest" {
  most_recent = true
  filter {
    name   = "name"
    values = ["demo-*"]
  }
}
""",
)
BROKEN["hcl"] = (
    (0, "    Name = var.name\n  }\n", "    Name = var.name\n"),
    (0, 'default = "demo"', 'default = "demo'),
    (1, 'names = ["one", "two"]', 'names = ["one", "two"'),
    (2, 'values = ["demo-*"]', "values = "),
)
GOOD["make"] = (
    """CC ?= cc
CFLAGS := -Wall -O2
SOURCES := $(wildcard src/*.c)
OBJECTS := $(SOURCES:.c=.o)

.PHONY: all clean

all: demo

demo: $(OBJECTS)
	$(CC) $(CFLAGS) -o $@ $^

clean:
	rm -f demo $(OBJECTS)
""",
    """ifeq ($(DEBUG),1)
FLAGS += -g
else
FLAGS += -O2
endif

include config.mk

%.o: %.c
	@echo compiling $<
	$(CC) $(FLAGS) -c $< -o $@
""",
    """VERSION = $(shell git describe)
NAMES = one two

define help
usage: make all
endef

test: build
	for name in one two; do \\
		echo $$name; \\
	done

build:
	echo $(call upper,$(NAMES))
""",
)
BROKEN["make"] = (
    (0, "$(wildcard src/*.c)", "$(wildcard src/*.c"),
    (0, "-o $@ $^", "-o $@ $(OBJECTS"),
    (1, "ifeq ($(DEBUG),1)", "ifeq ($(DEBUG),1"),
)
GOOD["dockerfile"] = (
    """FROM python:3.12-slim AS base
ARG VERSION=1.0
ENV PATH="/app/bin:$PATH" \\
    MODE=fast
WORKDIR /app
COPY --chown=root:root pyproject.toml ./
RUN pip install --no-cache-dir . \\
    && rm -rf /var/cache/pip
EXPOSE 8000/tcp
HEALTHCHECK --interval=30s CMD curl -f http://localhost/ || exit 1
ENTRYPOINT ["python", "-m", "demo"]
""",
    """# syntax=docker/dockerfile:1
ARG BASE=node:22
FROM ${BASE} AS build
USER node
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build

FROM nginx:stable
COPY --from=build /dist /usr/share/nginx/html
CMD ["nginx", "-g", "daemon off;"]
""",
    """FROM debian:stable
LABEL maintainer="demo" version="1"
SHELL ["/bin/bash", "-c"]
VOLUME /data
STOPSIGNAL SIGTERM
ONBUILD RUN echo built
ADD file.tar.gz /opt/
RUN apt-get update \\
    # a comment between
    && apt-get install -y curl
""",
)
BROKEN["dockerfile"] = (
    (0, "WORKDIR /app", "WORKDR /app"),
    (0, "FROM python:3.12-slim AS base", "FRM python:3.12-slim AS base"),
    (1, "COPY package.json package-lock.json ./", "... package.json package-lock.json ./"),
    (2, "STOPSIGNAL SIGTERM", "} STOPSIGNAL SIGTERM"),
)
GOOD["perl"] = (
    """package Store;

use strict;
use warnings;

sub new {
    my ($class, %args) = @_;
    return bless { items => [], limit => $args{limit} // 10 }, $class;
}

sub add {
    my ($self, $item) = @_;
    if (@{ $self->{items} } >= $self->{limit}) {
        die "no room for $item";
    }
    push @{ $self->{items} }, $item;
    return $self;
}

1;
""",
    """#!/usr/bin/perl
use strict;

my %counts;
while (my $line = <STDIN>) {
    chomp $line;
    next unless $line =~ /^(\\w+)\\s+(\\d+)$/;
    $counts{$1} += $2;
}

foreach my $name (sort { $counts{$b} <=> $counts{$a} } keys %counts) {
    printf "%s: %d\\n", $name, $counts{$name};
}
""",
    """use strict;
use warnings;

my @names = qw(one two three);
my @long = grep { length($_) > 3 } map { lc } @names;

sub show {
    my $text = join(", ", @_);
    open(my $out, '>', 'list.txt') or die "cannot open: $!";
    print {$out} <<"END";
names: $text
END
    close($out);
}

show(@long) if @long;
""",
)
BROKEN["perl"] = (
    (0, '$item";\n    }\n', '$item";\n'),
    (0, "if (@{ $self->{items} } >=", "if (@{ $self->{items} >="),
    (1, "$counts{$1} += $2;", "$counts{$1}} += $2;"),
    (2, "show(@long) if @long;", "show(@long)) if @long;"),
)
GOOD["dart"] = (
    """import 'dart:convert';

abstract class Shape {
  const Shape();
  double get area;
}

class Square extends Shape {
  final double side;

  const Square({required this.side});

  @override
  double get area => side * side;
}

Future<void> main() async {
  final shapes = <Shape>[const Square(side: 2)];
  for (final shape in shapes) {
    print('area ${shape.area}');
  }
  await Future.delayed(Duration.zero);
}
""",
    """class Store<T> {
  final List<T> _items = [];
  int limit;

  Store([this.limit = 10]);

  bool add(T? item) {
    if (item == null || _items.length >= limit) {
      return false;
    }
    _items.add(item);
    return true;
  }

  T? operator [](int at) => at < _items.length ? _items[at] : null;
}
""",
    """enum Level { low, high }

String show(Level level) {
  switch (level) {
    case Level.low:
      return 'low';
    case Level.high:
      return 'high';
  }
}

Widget build(BuildContext context) {
  return Column(
    children: [
      Text(show(Level.low)),
      if (context.mounted) const Divider(),
      ...items.map((item) => Text(item)),
    ],
  );
}
""",
)
BROKEN["dart"] = (
    (0, "    print('area ${shape.area}');\n  }\n", "    print('area ${shape.area}');\n"),
    (1, "if (item == null || _items.length >= limit) {", "if (item == null || _items.length >= limit {"),
    (2, "      return 'low';", "      return 'low;"),
    (2, "      ...items.map((item) => Text(item)),\n    ],\n", "      ...items.map((item) => Text(item)),\n"),
)
GOOD["powershell"] = (
    """param(
    [string]$Name = "demo",
    [int]$Count = 3
)

function Get-Total {
    param([int[]]$Values)
    $sum = 0
    foreach ($value in $Values) {
        if ($value -gt 0) {
            $sum += $value
        }
    }
    return $sum
}

Write-Output "total: $(Get-Total -Values 1, 2)"
""",
    """$items = @{ one = 1; two = 2 }
foreach ($key in $items.Keys) {
    switch ($items[$key]) {
        1 { Write-Host "first" }
        default { Write-Host "other $key" }
    }
}
$names = Get-ChildItem -Path . | Where-Object { $_.Length -gt 10 } | Select-Object -First 5
""",
    """try {
    $text = Get-Content -Path 'list.txt' -ErrorAction Stop
    for ($i = 0; $i -lt $text.Count; $i++) {
        Write-Verbose $text[$i]
    }
}
catch {
    Write-Error "failed: $_"
    exit 1
}
finally {
    Remove-Variable text
}
""",
)
BROKEN["powershell"] = (
    (0, "            $sum += $value\n        }\n", "            $sum += $value\n"),
    (1, "foreach ($key in $items.Keys) {", "foreach ($key in $items.Keys {"),
    (2, "    exit 1\n}\n", "    exit 1\n}\n}\n"),
)
GOOD["nix"] = (
    """{ lib, stdenv, fetchurl, withDocs ? false, ... }:

stdenv.mkDerivation rec {
  pname = "demo";
  version = "1.0";

  src = fetchurl {
    url = "https://example.com/${pname}-${version}.tar.gz";
    sha256 = lib.fakeSha256;
  };

  configureFlags = [ "--prefix=$out" ] ++ lib.optional withDocs "--docs";

  meta = with lib; {
    license = licenses.mit;
  };
}
""",
    """let
  pkgs = import <nixpkgs> { };
  names = [ "one" "two" ];
  double = x: x * 2;
in
{
  total = builtins.foldl' (a: b: a + b) 0 (map double [ 1 2 3 ]);
  shown = if builtins.length names > 1 then "many" else "few";
  inherit (pkgs) hello;
}
""",
    """{
  description = "A flake";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs";

  outputs = { self, nixpkgs }@inputs: {
    packages.x86_64-linux.default = nixpkgs.legacyPackages.x86_64-linux.hello;
    script = ''
      echo "${self}"
      exit 0
    '';
  };
}
""",
)
BROKEN["nix"] = (
    (0, "    sha256 = lib.fakeSha256;\n  };\n", "    sha256 = lib.fakeSha256;\n"),
    (0, 'version = "1.0";', 'version = "1.0"'),
    (1, 'names = [ "one" "two" ];', 'names = [ "one" "two" ;'),
    (2, "}@inputs: {", "}@inputs {"),
)
GOOD["solidity"] = (
    """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Ownable} from "./Ownable.sol";

contract Store is Ownable {
    mapping(address => uint256) private balances;

    event Added(address indexed from, uint256 amount);

    error Nothing();

    function add(uint256 amount) external payable returns (bool) {
        if (amount == 0) {
            revert Nothing();
        }
        balances[msg.sender] += amount;
        emit Added(msg.sender, amount);
        return true;
    }
}
""",
    """pragma solidity >=0.8.0 <0.9.0;

library Sums {
    function total(uint256[] memory values) internal pure returns (uint256 sum) {
        for (uint256 i = 0; i < values.length; i++) {
            sum += values[i];
        }
        unchecked {
            sum = sum / 2;
        }
    }
}
""",
    """pragma solidity ^0.8.0;

interface IToken {
    function name() external view returns (string memory);
}

abstract contract Base {
    enum Level { Low, High }

    struct Item {
        uint128 count;
        Level level;
    }

    modifier onlyHigh(Item memory item) {
        require(item.level == Level.High, "low");
        _;
    }

    constructor() {}
}
""",
)
BROKEN["solidity"] = (
    (0, "revert Nothing();\n        }\n", "revert Nothing();\n"),
    (0, 'from "./Ownable.sol";', 'from "./Ownable.sol;'),
    (1, "i < values.length; i++) {", "i < values.length; i++ {"),
    (2, "enum Level { Low, High }", "enum Level { Low, High "),
)

REPEATED: dict[str, tuple[str, str, str]] = {}
"""A head, a function that may stand any number of times, and a tail."""
REPEATED["javascript"] = (
    "",
    """function f{n}(a, b) {{
  const list = [a, b];
  if (a > {n}) {{
    call(a, list);
  }}
  return b;
}}

""",
    "",
)
REPEATED["typescript"] = (
    "",
    """function f{n}(a: number): number {{
  const b = [a];
  if (a > {n}) {{
    call(a, b);
  }}
  return a;
}}

""",
    "",
)
REPEATED["go"] = (
    "",
    """func f{n}(a int) int {{
	b := []int{{a}}
	if a > {n} {{
		call(a, b)
	}}
	return a
}}

""",
    "",
)
REPEATED["rust"] = (
    "",
    """fn f{n}(a: u32) -> u32 {{
    let b = [a];
    if a > {n} {{
        call(a, b);
    }}
    a
}}

""",
    "",
)
REPEATED["c"] = (
    "",
    """int f{n}(int a) {{
    int b[] = {{a}};
    if (a > {n}) {{
        call(a, b);
    }}
    return a;
}}

""",
    "",
)
REPEATED["cpp"] = (
    "",
    """int f{n}(int a) {{
    auto b = g({{a}});
    if (a > {n}) {{
        call(a, b);
    }}
    return a;
}}

""",
    "",
)
REPEATED["php"] = (
    "<?php\n",
    """function f{n}($a) {{
    $b = [$a];
    if ($a > {n}) {{
        call($a, $b);
    }}
    return $a;
}}

""",
    "",
)
REPEATED["kotlin"] = (
    "",
    """fun f{n}(a: Int): Int {{
    val b = listOf(a)
    if (a > {n}) {{
        call(a, b)
    }}
    return a
}}

""",
    "",
)
REPEATED["swift"] = (
    "",
    """func f{n}(a: Int) -> Int {{
    let b = [a]
    if a > {n} {{
        call(a, b)
    }}
    return a
}}

""",
    "",
)
REPEATED["dart"] = (
    "",
    """int f{n}(int a) {{
  final b = [a];
  if (a > {n}) {{
    call(a, b);
  }}
  return a;
}}

""",
    "",
)
REPEATED["zig"] = (
    "",
    """fn f{n}(a: u32) u32 {{
    const b = g(a);
    if (a > {n}) {{
        call(a, b);
    }}
    return a;
}}

""",
    "",
)
REPEATED["lua"] = (
    "",
    """function f{n}(a)
  local b = {{ a }}
  if a > {n} then
    call(a, b)
  end
  return a
end

""",
    "",
)
REPEATED["ruby"] = (
    "",
    """def f{n}(a)
  b = [a]
  if a > {n}
    call(a, b)
  end
  a
end

""",
    "",
)
REPEATED["java"] = (
    "class Many {\n",
    """    int f{n}(int a) {{
        int[] b = {{a}};
        if (a > {n}) {{
            call(a, b);
        }}
        return a;
    }}

""",
    "}\n",
)
REPEATED["csharp"] = (
    "class Many\n{\n",
    """    int F{n}(int a)
    {{
        if (a > {n})
        {{
            Call(a, 1);
        }}
        return a;
    }}

""",
    "}\n",
)
REPEATED["scala"] = (
    "object Many {\n",
    """  def f{n}(a: Int): Int = {{
    val b = List(a)
    if (a > {n}) {{
      call(a, b)
    }}
    a
  }}

""",
    "}\n",
)
REPEATED["solidity"] = (
    "contract Many {\n",
    """    function f{n}(uint a) public returns (uint) {{
        if (a > {n}) {{
            call(a, 1);
        }}
        return a;
    }}

""",
    "}\n",
)
