// The grid below the machine: without an end, its lines as thin as a pixel, fading with the distance.
import * as THREE from "three";
import type { Palette } from "../theme";
import { rgb } from "../theme";

const kVertex = `
varying vec2 place;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  place = world.xy;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

const kFragment = `
varying vec2 place;
uniform vec3 colour;
uniform vec2 centre;
uniform float step_;
uniform float reach;
uniform float strength;
float lines(vec2 p, float s) {
  vec2 w = fwidth(p / s);
  vec2 d = abs(fract(p / s - 0.5) - 0.5) / max(w, vec2(1e-6));
  float line = 1.0 - min(min(d.x, d.y), 1.0);
  return line * (1.0 - smoothstep(0.25, 0.6, max(w.x, w.y)));
}
void main() {
  float fine = lines(place, step_);
  float coarse = lines(place, 10.0 * step_);
  float far = length(place - centre) / reach;
  float fade = 1.0 - smoothstep(0.15, 1.0, far);
  vec2 w = fwidth(place);
  float x_axis = 1.0 - min(abs(place.y) / (1.5 * w.y + 1e-9), 1.0);
  float y_axis = 1.0 - min(abs(place.x) / (1.5 * w.x + 1e-9), 1.0);
  vec3 c = mix(colour, vec3(0.80, 0.22, 0.20), x_axis);
  c = mix(c, vec3(0.18, 0.60, 0.25), y_axis * (1.0 - x_axis));
  float a = max(max(0.20 * fine, 0.42 * coarse), 0.75 * max(x_axis, y_axis));
  gl_FragColor = vec4(c, a * fade * strength);
}`;

export class Ground {
  readonly group = new THREE.Group();
  readonly step: number; // between fine lines, in units of the view
  private readonly grid: THREE.Mesh;
  private readonly material: THREE.ShaderMaterial;
  private readonly shadow: THREE.Mesh;

  /// `length` is what one unit of the view is in metres: the lines shall lie at round metres.
  constructor(length: number) {
    this.step = 10 ** Math.floor(Math.log10(0.5 * length)) / length;
    this.material = new THREE.ShaderMaterial({
      vertexShader: kVertex,
      fragmentShader: kFragment,
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
      uniforms: {
        colour: { value: new THREE.Color() },
        centre: { value: new THREE.Vector2() },
        step_: { value: this.step },
        reach: { value: 20 },
        strength: { value: 1 },
      },
    });
    this.grid = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.material);
    this.grid.frustumCulled = false;
    this.grid.renderOrder = -3;
    this.shadow = new THREE.Mesh(
      new THREE.PlaneGeometry(2, 2),
      new THREE.ShadowMaterial({ transparent: true, opacity: 0.2, depthWrite: false }),
    );
    this.shadow.receiveShadow = true;
    this.shadow.frustumCulled = false;
    this.shadow.renderOrder = -2;
    this.group.add(this.grid, this.shadow);
  }

  paint(palette: Palette): void {
    const [r, g, b] = rgb(palette.grid);
    this.material.uniforms.colour.value.setRGB(r, g, b);
    this.material.uniforms.strength.value = palette.dark ? 0.8 : 1;
    this.shadow.material.opacity = palette.dark ? 0.4 : 0.2;
  }

  set_height(height: number): void {
    this.group.position.z = height;
  }
  set_shadow(on: boolean): void {
    this.shadow.visible = on;
  }

  follow(target: THREE.Vector3, distance: number): void {
    const reach = Math.max(8 * distance, 40 * this.step);
    this.grid.position.set(target.x, target.y, 0);
    this.grid.scale.set(reach, reach, 1);
    this.shadow.position.set(target.x, target.y, 0);
    this.shadow.scale.set(4 * distance, 4 * distance, 1);
    this.material.uniforms.centre.value.set(target.x, target.y);
    this.material.uniforms.reach.value = reach;
    // ten times as wide once the fine lines are closer than a few pixels
    const wanted = this.step * 10 ** Math.max(0, Math.floor(Math.log10(distance / (25 * this.step))));
    this.material.uniforms.step_.value = wanted;
  }
  get shown_step(): number {
    return this.material.uniforms.step_.value;
  }
}
