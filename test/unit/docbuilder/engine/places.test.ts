import { expect } from 'chai';
import { createPlaces } from '../../../../cmd/docbuilder/engine/places.ts';

describe('places', () => {
  function taken(size: number, wanted: number) {
    const places = createPlaces(size);
    const got: number[] = [];
    for (let index = 0; index < wanted; index += 1) void places.take().then(() => got.push(index));
    return { places, got, told: () => Promise.resolve().then(() => got) };
  }

  it('there are so many and no more, first come, first served', async () => {
    const { places, told } = taken(2, 4);
    expect(await told()).to.deep.equal([0, 1]);
    expect(places.full()).to.equal(true);
    places.leave();
    expect(await told()).to.deep.equal([0, 1, 2]);
    expect(places.surplus()).to.equal(0);
  });

  it('more are there at once', async () => {
    const { places, told } = taken(1, 4);
    places.resize(3);
    expect(await told()).to.deep.equal([0, 1, 2]);
    expect(places.size()).to.equal(3);
  });

  it('of fewer nobody is put out, and nobody comes until enough have left', async () => {
    const { places, told } = taken(3, 4);
    places.resize(1);
    expect(places.surplus()).to.equal(2);
    places.leave();
    places.leave();
    expect(places.surplus()).to.equal(0);
    expect(await told()).to.deep.equal([0, 1, 2]);
    places.leave();
    expect(await told()).to.deep.equal([0, 1, 2, 3]);
  });
});
