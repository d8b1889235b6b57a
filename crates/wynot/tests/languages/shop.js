// A shop: a catalogue, a basket and discounts.
'use strict';

class Catalogue {
  constructor() {
    this.products = new Map();
  }

  add(code, name, cents, tags = []) {
    this.products.set(code, { code, name, cents, tags });
    return this;
  }

  find(code) {
    const product = this.products.get(code);
    if (!product) {
      throw new Error(`there is no ${code}`);
    }
    return product;
  }

  tagged(tag) {
    return [...this.products.values()].filter(({ tags }) => tags.includes(tag));
  }
}

class Basket {
  constructor(catalogue) {
    this.catalogue = catalogue;
    this.lines = [];
    this.discounts = [];
  }

  put(code, count = 1) {
    const line = this.lines.find((line) => line.product.code === code);
    if (line) {
      line.count += count;
    } else {
      this.lines.push({ product: this.catalogue.find(code), count });
    }
    return this;
  }

  total() {
    let sum = 0;
    for (const { product, count } of this.lines) {
      sum += product.cents * count;
    }
    for (const discount of this.discounts) {
      sum -= Math.min(discount(sum), sum);
    }
    return sum;
  }
}

const percent = (rate) => (sum) => Math.round((sum * rate) / 100);

const overLimit = (limit, off) => (sum) => {
  return sum >= limit ? off : 0;
};

function receipt(basket, currency = 'EUR') {
  const text = [];
  let rest = basket.total();
  for (const { product, count } of basket.lines) {
    const cents = product.cents * count;
    text.push(`${count} x ${product.name}: ${cents / 100}`);
    if (product.tags.includes('gift')) {
      try {
        var rest = wrap(product, count);
        text.push(`  wrapped in ${rest}`);
      } catch (error) {
        text.push(`  not wrapped: ${error.message}`);
      }
    }
  }
  text.push(`to pay: ${rest / 100} ${currency}`);
  return text.join('\n');
}

function wrap(product, count) {
  switch (product.code) {
    case 'cup':
      return count > 1 ? 'a box' : 'paper';
    default:
      throw new Error('no paper');
  }
}

const catalogue = new Catalogue()
  .add('tea', 'Tea', 450, ['drink'])
  .add('cup', 'Cup', 1200, ['china', 'gift'])
  .add('pot', 'Teapot', 3900, ['china']);

const basket = new Basket(catalogue).put('tea', 2).put('pot');
catalogue.tagged('gift').forEach(({ code }) => basket.put(code, 2));
basket.discounts.push(percent(10), overLimit(5000, 300));
console.log(receipt(basket));
